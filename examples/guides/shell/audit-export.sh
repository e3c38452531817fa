latchkey-service audit export --after 0 >> audit.jsonl

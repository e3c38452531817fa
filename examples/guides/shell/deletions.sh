latchkey-service tenant deletions

latchkey-service audit follow

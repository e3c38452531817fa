// Restify has no types of its own.
declare module 'restify'

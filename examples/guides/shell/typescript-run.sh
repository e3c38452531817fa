npx tsc                      # checks the types
node --env-file=.env app.ts  # runs the file as it is

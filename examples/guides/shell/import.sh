latchkey users import users.csv --dry-run
latchkey users import users.csv

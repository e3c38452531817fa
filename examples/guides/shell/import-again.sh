latchkey users import newer.csv --update users.csv.result.csv --dry-run
latchkey users import newer.csv --update users.csv.result.csv

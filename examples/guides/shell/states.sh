latchkey users import users.csv --blocks status=rejected --allows status=pending
latchkey users import users.csv --allows premium_until

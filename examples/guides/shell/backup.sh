mkdir -p backup
node --eval "
  const { DatabaseSync } = require('node:sqlite')
  new DatabaseSync('data/data.db', { readOnly: true }).exec(\"VACUUM INTO 'backup/data.db'\")
"

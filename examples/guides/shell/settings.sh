export LATCHKEY_DATA=./data
export LATCHKEY_URL=http://localhost:4400

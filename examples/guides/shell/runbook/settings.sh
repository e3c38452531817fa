export PATH="/opt/latchkey/node_modules/.bin:$PATH"
export LATCHKEY_DATA=/var/lib/latchkey LATCHKEY_URL=http://localhost:4400
umask 077

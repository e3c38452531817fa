(
  set -eu
  umask 077
  (openssl rand -base64 32; cat data/master.key) > data/master.key.new
  chown --reference=data/master.key data/master.key.new
  chmod --reference=data/master.key data/master.key.new
  mv data/master.key.new data/master.key
)

(
  set -eu
  (cat master.key; echo; openssl rand -base64 32) > master.key.new
  chmod 600 master.key.new
  mv master.key.new master.key
)

(
  set -eu
  umask 077
  cp secrets/master-key "secrets/master-key.before-$(date +%FT%H%M%S)"
  chmod u+w secrets/master-key
  (echo; openssl rand -base64 32) >> secrets/master-key
  sleep 10
  (tail -n 1 secrets/master-key; head -n -1 secrets/master-key) > secrets/newest-first
  cat secrets/newest-first > secrets/master-key
  rm secrets/newest-first
)

jq -nc --slurpfile users auth0-users.json '
  INDEX($users[]; .user_id) as $known
  | inputs
  | $known["auth0|" + ._id["$oid"]] as $user
  | .blocked = ($user == null or $user.blocked == true)
' auth0-hashes.json > auth0.json

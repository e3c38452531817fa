/** The password of the hashes below. */
export const LEGACY_PASSWORD = 'correct horse'

/** The key of the example in the documentation of Firebase's scrypt. */
const firebase = {
  salt_separator: 'Bw==',
  signer_key:
    'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  rounds: 8,
  mem_cost: 14,
}

/**
 * Hashes of other systems, made by other implementations: PBKDF2, scrypt and md5 by Python's `hashlib`, AES by its
 * `cryptography`, bcrypt by `crypt` of libxcrypt. The two examples are published, by Firebase and by phpass.
 */
export const legacyHashes = {
  'django, PBKDF2 with SHA-256': {
    scheme: 'django',
    hash: 'pbkdf2_sha256$600000$q9Zr2mVxT4sLk1$BFJC4OCfH34l9VODgDsrN9OMBiO1yZJHgSg6PD6uHhw=',
  },
  'django, PBKDF2 with SHA-1': {
    scheme: 'django',
    hash: 'pbkdf2_sha1$1000$salt$um5PLH8ivEcrRJVasTZXh8+vxX0=',
  },
  'keycloak, PBKDF2 with SHA-512': {
    scheme: 'keycloak',
    hash: 'l4pqr0UVqxiWEnbGDBV//hzeVcB7ZgsFnr5Z+SZYIYjhXWCECCVC/oKM2WWMwBzQGCBfe2yb+20zK3Rr1rkPjg==',
    parameters: {
      algorithm: 'pbkdf2-sha512',
      iterations: 210_000,
      salt: 'AAECAwQFBgcICQoLDA0ODw==',
    },
  },
  'keycloak, PBKDF2 with SHA-256 and two blocks': {
    scheme: 'keycloak',
    hash: 'qnA427fe69fAjkevcHZvnm7vp3MewnxKL4g2WLfI7U6teQVH1eR2L5DfcV0psPIfjGPtlZbkpnogYX+2TaSl6w==',
    parameters: {
      algorithm: 'pbkdf2-sha256',
      iterations: 27_500,
      salt: 'AAECAwQFBgcICQoLDA0ODw==',
    },
  },
  'ASP.NET Core Identity, version 3': {
    scheme: 'aspnet',
    hash: 'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg8LJ1+nXP1HCEVtkGVQ8YRRub3RhgjMuQMQ6K7+XxmQVQ==',
  },
  'ASP.NET Identity, version 2': {
    scheme: 'aspnet',
    hash: 'AAABAgMEBQYHCAkKCwwNDg+d2FbDdriytxO2vgdAVMuIpGVW4BGF6o0NJn8znGUhaQ==',
  },
  'phpass of WordPress': { scheme: 'phpass', hash: '$P$Bk2mVxT4sX/SzdBIMrfwZzcvRoswHD.' },
  'phpass of phpBB': { scheme: 'phpass', hash: '$H$9k2mVxT4sDNUI/9j4KtSHnBUo9Cs5U.' },
  'phpass, the published example': {
    scheme: 'phpass',
    hash: '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0',
    password: 'test12345',
  },
  'phpass of a password with a quote, which WordPress escapes': {
    scheme: 'phpass',
    hash: '$P$9k2mVxT4skMAeVavheznwExmflZS5..',
    password: "it's right",
  },
  'WordPress since 6.8': {
    scheme: 'wordpress',
    hash: '$wp$2y$10$abcdefghijklmnopqrstuuA.NtWkdu8VmWC3ClnWUEHy4fqZrKNuK',
  },
  'Firebase, the published example': {
    scheme: 'firebase',
    hash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    parameters: { ...firebase, salt: '42xEC+ixf3L2lw==' },
    password: 'user1password',
  },
  Firebase: {
    scheme: 'firebase',
    hash: 'ZKICzw/aMHw8vdjGxgsJzoU1Y63uykdiPEEVnt50NNfmdvLO6km/CMVwKr/d6tK9Px7we7sL5mhO3XjodX2HlA==',
    parameters: { ...firebase, salt: '42xEC+ixf3L2lw==' },
  },
} as const satisfies Record<
  string,
  { scheme: string; hash: string; parameters?: object; password?: string }
>

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
 * `cryptography`, bcrypt by `crypt` of libxcrypt, Argon2 by its reference implementation, libargon2. The examples are published, by
 * Firebase, by phpass and by the tests of libargon2.
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
  'Argon2id of Kratos': {
    scheme: 'argon2',
    hash: '$argon2id$v=19$m=131072,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$JwNXYiV1UcNDk4hXCSM9ZWSYj0EITl2DZGC5t5eTUH0',
  },
  'Argon2id of Laravel': {
    scheme: 'argon2',
    hash: '$argon2id$v=19$m=65536,t=4,p=1$AAECAwQFBgcICQoLDA0ODw$hCsXpY9qbEpyHaSGH/Dvk3zW3sKA0SrTPzGebu1uDzg',
  },
  'Argon2id with four lanes': {
    scheme: 'argon2',
    hash: '$argon2id$v=19$m=65536,t=3,p=4$AAECAwQFBgcICQoLDA0ODw$V38f836aPlLJfTn46DiRwbc7Dof/4EKc7o7eL7AF/kQ',
  },
  'Argon2i of Logto': {
    scheme: 'argon2',
    hash: '$argon2i$v=19$m=8192,t=8,p=1$ZmVkY2JhOTg3NjU0MzIxMA$YMm/SS2by01/FlXa9UuC5QO9/iFHSWoFRoKRCRL8ZuY',
  },
  'Argon2d with a key of 16 bytes': {
    scheme: 'argon2',
    hash: '$argon2d$v=19$m=1024,t=2,p=2$c2FsdHNhbHQ$j6M33tacKqvX2sdQQWtrew',
  },
  'Argon2i of version 1.0': {
    scheme: 'argon2',
    hash: '$argon2i$v=16$m=1024,t=3,p=1$c29tZXNhbHQ$OfA/3iWEhzjVkPHASCryFWfIJD0NXLP4zjLuxPA/KJQ',
  },
  'Argon2i, the published example without a version': {
    scheme: 'argon2',
    hash: '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
    password: 'password',
  },
  'Argon2id, the published example': {
    scheme: 'argon2',
    hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    password: 'password',
  },
  'django, Argon2': {
    scheme: 'django',
    hash: 'argon2$argon2id$v=19$m=102400,t=2,p=8$aUpJeHNBQXRHRkJpSU9nR1Brek5ZWA$WRjQiwMbOZcgYvrYWXpRXLdFcPEogQJnWw3MmS1rzCM',
  },
  'keycloak, Argon2': {
    scheme: 'keycloak',
    hash: 'I9aBicNnH49yuiIjQJC85giAQWszITIjdobXf3FdYMg=',
    parameters: {
      ...{ algorithm: 'argon2', iterations: 5, salt: 'AAECAwQFBgcICQoLDA0ODw==' },
      ...{ type: 'id', version: '1.3', memory: 7168, parallelism: 1 },
    },
  },
} as const satisfies Record<
  string,
  { scheme: string; hash: string; parameters?: object; password?: string }
>

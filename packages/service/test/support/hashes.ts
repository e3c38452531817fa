/** The password that every hash of this file belongs to. */
export const PASSWORD = 'correct horse'

/** Its bcrypt hashes, by cost. */
export const bcryptOf = {
  4: '$2b$04$q.ufrWP/51b1WZprPn6s2Ogw3KmNxQniOXRzQ7I6eqirSyR.gMYH6',
  8: '$2b$08$qye/mWBpocHsTOgoYtQkeuOMOqxlmThs2EnXbo4korRAe4OdZOw6W',
  10: '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC',
  12: '$2b$12$b1yp.WdGqXislExdqAJwHer6VGeeNRh54XnoVjB1LIF/lqWu8L5bm',
} as const

/** Its digests in hexadecimal, computed by another program. */
export const digestOf = {
  md5: '3cb4e732631f47e6eb961f34554b7cde',
  sha1: '2f9e53523b62abc141a2b4d6019d23cba835dbd0',
  sha256: '4104d36f8da2c254349f85836793ebe029e0c957063a34c91c2e9203187b5631',
  sha512:
    '56b698defedb5a435b634afe3320bbaf3fdcd920b6c503a446fc7b7a776b298d' +
    '479d1ba6a8b617808eb0bf579ce9a95d668347bcab7149085ac93cb27995197b',
} as const

export type Digest = keyof typeof digestOf

export const digests = Object.keys(digestOf) as Digest[]

/** The base64 of a text in hexadecimal. */
export function toBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}

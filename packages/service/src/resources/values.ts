/** Microseconds since the epoch, an integer. */
export type Micros = number

/** String keys and values for the customer's own use. */
export type Metadata = Record<string, string>

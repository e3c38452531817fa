import { fileURLToPath } from 'node:url'
import { openDatabase, type ShopDatabase } from './database.ts'

/** The table of users that the shop had before. */
export const oldUsers: string = fileURLToPath(new URL('../old-users.csv', import.meta.url))

/** The shop as it was the day before: customers and orders, not linked to logins yet. */
export function openOldShop(): ShopDatabase {
  const shop = openDatabase(':memory:')
  shop.addCustomer(1001, 'Ada Lovelace', ['A difference engine', 'Punched cards, 500 pieces'])
  shop.addCustomer(1002, 'Grace Hopper', ['Wire, 30 cm'])
  shop.addCustomer(1003, 'Alan Turing', ['Paper tape, endless'])
  shop.addCustomer(1004, 'Charles Babbage', [])
  return shop
}

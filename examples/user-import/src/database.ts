import { DatabaseSync } from 'node:sqlite'

/** A customer of the shop, in the shop's own table. `userId` is the identity service's name for them. */
export interface Customer {
  readonly id: number
  readonly userId: string | null
  readonly name: string
}

/** The shop's own database. It knows no passwords; `user_id` leads to who has one. */
export interface ShopDatabase {
  addCustomer(id: number, name: string, orders: readonly string[]): void
  /** Notes whom a customer logs in as. */
  link(customerId: number, userId: string): void
  /** The customer of a user; one who comes for the first time is made one. */
  customerOf(userId: string, name: string): Customer
  ordersOf(customer: Customer): string[]
}

/** Opens it; `:memory:` is gone with the process. */
export function openDatabase(path: string): ShopDatabase {
  const db = new DatabaseSync(path)
  db.exec(`
    create table if not exists customers (
      id integer primary key,
      user_id text unique,
      name text not null
    );
    create table if not exists orders (
      customer_id integer not null references customers (id),
      item text not null
    )`)
  const insertCustomer = db.prepare('insert into customers (id, name) values (?, ?)')
  const insertOrder = db.prepare('insert into orders (customer_id, item) values (?, ?)')
  const link = db.prepare('update customers set user_id = ? where id = ?')
  // Two logins at the same moment make one customer.
  const insertUser = db.prepare(
    'insert into customers (user_id, name) values (?, ?) on conflict (user_id) do nothing',
  )
  const find = db.prepare('select id, user_id as userId, name from customers where user_id = ?')
  const orders = db.prepare('select item from orders where customer_id = ?')

  return {
    addCustomer(id, name, items) {
      insertCustomer.run(id, name)
      for (const item of items) insertOrder.run(id, item)
    },
    link: (customerId, userId) => void link.run(userId, customerId),
    customerOf(userId, name) {
      insertUser.run(userId, name)
      return find.get(userId) as unknown as Customer
    },
    ordersOf: ({ id }) => orders.all(id).map(({ item }) => String(item)),
  }
}

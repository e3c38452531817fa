import { DatabaseSync } from 'node:sqlite'

/** A row of the table of members. */
export interface Member {
  /** The key that other tables of the application refer to. */
  readonly id: number
  /** The id of the user at the service: the `sub` of a login. */
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly state: 'active' | 'disabled' | 'deleted'
}

/** The values that are copied from the service. */
export type MemberValues = Omit<Member, 'id'>

/** The application's own table of users, and one that refers to it. */
export interface Members {
  /**
   * Writes the values of a member, unless a later event has written them already. Two events of one user may be handled
   * at the same time, so the one that has read the older values may write last.
   *
   * @param sequence - That of the event; 0 for values that were read without one.
   */
  save(values: MemberValues, sequence: number): void
  find(userId: string): Member | undefined
  addNote(member: Member, text: string): void
  /** Every member with the number of their notes. */
  list(): (Member & { readonly notes: number })[]
}

/** Opens the database; `:memory:` is gone with the process. */
export function openMembers(path: string): Members {
  const db = new DatabaseSync(path)
  db.exec(`
    create table if not exists members (
      id integer primary key,
      user_id text not null unique,
      name text not null,
      email text not null,
      state text not null,
      sequence integer not null
    );
    create table if not exists notes (
      member_id integer not null references members (id),
      text text not null
    )`)
  const save = db.prepare(`
    insert into members (user_id, name, email, state, sequence) values (?, ?, ?, ?, ?)
    on conflict (user_id) do update set
      name = excluded.name, email = excluded.email, state = excluded.state, sequence = excluded.sequence
    where members.sequence <= excluded.sequence`)
  const columns = 'members.id, user_id as userId, name, email, state'
  const find = db.prepare(`select ${columns} from members where user_id = ?`)
  const addNote = db.prepare('insert into notes (member_id, text) values (?, ?)')
  const list = db.prepare(`
    select ${columns}, count(notes.text) as notes
    from members left join notes on notes.member_id = members.id group by members.id order by members.id`)
  return {
    save({ userId, name, email, state }, sequence) {
      save.run(userId, name, email, state, sequence)
    },
    find: (userId) => find.get(userId) as Member | undefined,
    addNote: ({ id }, text) => void addNote.run(id, text),
    list: () => list.all() as unknown as (Member & { notes: number })[],
  }
}

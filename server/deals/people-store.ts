import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { NamedPerson } from './columns.ts'

/** IDs of people by the key that `keyOf` returns. */
export type PersonIds = ReadonlyMap<string, number>

/** Returns the key that identifies a person. */
export const keyOf = ({ name, email }: NamedPerson) => `${name}\n${email}`

/** Returns the IDs of these people. Inserts people who are not stored yet. @system the writer of deals */
export async function findPeople(
  sql: Database['$client'] | TransactionSql,
  people: NamedPerson[],
): Promise<PersonIds> {
  const wanted = new Map(people.map((person) => [keyOf(person), person]))
  const ids = new Map<string, number>()
  const addIds = (rows: (NamedPerson & { id: number })[]) =>
    rows.forEach((row) => ids.set(keyOf(row), row.id))
  if (wanted.size === 0) return ids
  const all = listed([...wanted.values()])
  addIds(
    await sql`
    select id, name, email from people join unnest(${all.names}::text[], ${all.emails}::text[]) as wanted (name, email) using (name, email)`,
  )
  if (ids.size === wanted.size) return ids
  // Sorted, so that concurrent inserts of the same people take locks in the same order.
  const fresh = listed(
    [...wanted]
      .filter(([key]) => !ids.has(key))
      .toSorted(byKey)
      .map(([, person]) => person),
  )
  addIds(
    await sql`
      insert into people (name, email) select * from unnest(${fresh.names}::text[], ${fresh.emails}::text[])
      on conflict (name, email) do update set name = excluded.name returning id, name, email`,
  )
  return ids
}

const listed = (people: NamedPerson[]) => ({
  names: people.map(({ name }) => name),
  emails: people.map(({ email }) => email),
})

const byKey = ([a]: [string, NamedPerson], [b]: [string, NamedPerson]) => Number(a > b) - Number(a < b)

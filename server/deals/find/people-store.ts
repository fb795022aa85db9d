import type { TransactionSql } from 'postgres'
import type { NamedPerson } from './columns.ts'

/** The ids of people by `keyOf`. */
export type PersonIds = ReadonlyMap<string, number>

/** Returns the key that identifies a person. */
export const keyOf = ({ name, email }: NamedPerson) => `${name}\n${email}`

/** Returns the ids of these people, inserting unknown ones. @system the writer of deals */
export async function findPeople(sql: TransactionSql, people: NamedPerson[]): Promise<PersonIds> {
  const wanted = new Map(people.map((person) => [keyOf(person), person]))
  const ids = new Map<string, number>()
  const list = () => {
    const missing = [...wanted].flatMap(([key, person]) => (ids.has(key) ? [] : [person]))
    return [missing.map(({ name }) => name), missing.map(({ email }) => email)] as const
  }
  const keep = (rows: (NamedPerson & { id: number })[]) => rows.forEach((row) => ids.set(keyOf(row), row.id))
  if (wanted.size === 0) return ids
  const [names, emails] = list()
  keep(
    await sql`
    select id, name, email from people join unnest(${names}::text[], ${emails}::text[]) as wanted (name, email) using (name, email)`,
  )
  if (ids.size < wanted.size) {
    const [newNames, newEmails] = list()
    keep(
      await sql`
      insert into people (name, email) select * from unnest(${newNames}::text[], ${newEmails}::text[])
      on conflict (name, email) do update set name = excluded.name returning id, name, email`,
    )
  }
  return ids
}

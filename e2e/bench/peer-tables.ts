import { type FieldKind, dealFields, personFields } from '#server/deals/deal.ts'

// The tables of the peer, in a straightforward design: one typed column per field, and a table for people.

/** A column's name, which is the field's. A deal's person is stored as an id. */
export interface Column {
  name: string
  kind: FieldKind
}

export const dealColumns = columnsOf(dealFields)
export const personColumns = columnsOf(personFields)

function columnsOf(fields: Readonly<Record<string, { kind: FieldKind }>>): Column[] {
  return Object.entries(fields).map(([name, { kind }]) => ({ name, kind }))
}

const types: Record<FieldKind, string> = {
  int64: 'bigint',
  text: 'text',
  double: 'double precision',
  money: 'double precision',
  flag: 'boolean not null',
  time: 'timestamptz',
  person: 'bigint',
}

const define = (columns: Column[]) => columns.map(({ name, kind }) => `"${name}" ${types[kind]}`).join(', ')

export const createTables = `
  create table tokens (id integer primary key, hash text not null unique, partner_id integer not null, expires_at timestamptz, revoked_at timestamptz);
  create table persons (${define(personColumns)});
  create table deals (partner_id integer not null, ${define(dealColumns)})`

/** What is created after loading the data. */
export const createKeys = `
  alter table persons add primary key (id);
  alter table deals add primary key (id);
  create index on deals (partner_id, id);
  ${dealColumns
    .filter(({ kind }) => kind === 'person')
    .map(({ name }) => `alter table deals add foreign key ("${name}") references persons (id);`)
    .join('\n')}`

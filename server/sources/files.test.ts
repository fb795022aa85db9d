import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { connect, crm, database, makePartner, useStandIn } from '#e2e/crm/connected.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { filesOf, findSignedFile } from '../files/store.ts'
import * as actions from './actions.ts'
import { crmStorage } from './crm-storage.ts'
import { readFileState } from './file-store.ts'
import { followSource } from './follow-source.ts'

useStandIn()
beforeEach(async () => {
  crm.properties.push({ name: 'agreement', label: 'Agreement', type: 'string', fieldType: 'file' })
})

/** Waits until the CRM's modification times are in the past. */
const later = () => sleep(10)

/** Runs a source that follows files in this mode once, for a deal with one file. Returns the source. */
async function follow(mode: 'link' | 'copy') {
  const source = await connect()
  const { id, context, read } = source
  const file = crm.putFile('agreement.pdf', 'Signed by Ana')
  const deal = crm.create({ dealname: 'A deal', agreement: file })
  await actions.setFiles(context, { id, files: { properties: ['agreement'], notes: false, mode } })
  await read()
  const { disk } = context.storages
  return {
    ...source,
    file,
    deal,
    disk,
    filesNow: () => filesOf(database.db, BigInt(deal)),
    content: async (key: string) => text(await disk.open(key)),
    state: () => readFileState(database.db, id, 10),
    requests: () =>
      crm.requests.filter((path) => path.startsWith('/files') || path.startsWith('/signed')).length,
  }
}

test('files are copied once, and again when they change in the CRM', async () => {
  const { file, filesNow, content, read, compare, state, requests } = await follow('copy')
  expect(await filesNow()).toMatchObject([
    { id: file, name: 'agreement.pdf', type: 'application/pdf', sizeBytes: 13, storage: 'disk' },
  ])
  expect(await content(file)).toBe('Signed by Ana')
  const before = requests()
  await read()
  await compare()
  expect(requests() - before).toBe(2)
  crm.putFile('agreement.pdf', 'Signed by both', file, Date.now() + 1000)
  await read()
  expect(await content(file)).toBe('Signed by both')
  expect(await filesNow()).toMatchObject([{ sizeBytes: 14 }])
  expect(await state()).toEqual({ here: 1, waiting: 0, failed: 0, problems: [] })
})

test('a file removed from the CRM or its deal is removed, with its content', async () => {
  const { file, deal, disk, filesNow, read, compare, state } = await follow('copy')
  const other = crm.putFile('plan.pdf', 'A plan')
  crm.change(deal, { agreement: `${file};${other}` }, Date.now() + 1)
  await later()
  await read()
  expect((await filesNow()).map(({ id }) => id).toSorted()).toEqual([file, other].toSorted())
  crm.files.delete(other)
  await read()
  expect((await filesNow()).map(({ id }) => id)).toEqual([file])
  expect(await disk.sizeOf(other)).toBeNull()
  expect((await state()).problems).toMatchObject([{ fileId: other, problem: 'The CRM has no such file.' }])
  crm.change(deal, { agreement: null }, Date.now() + 1)
  await later()
  await read()
  expect([await filesNow(), await disk.sizeOf(file)]).toEqual([[], null])
  expect(await state()).toEqual({ here: 0, waiting: 0, failed: 0, problems: [] })

  crm.putFile('again.pdf', 'Again', file)
  crm.change(deal, { agreement: file }, Date.now() + 1)
  await later()
  await read()
  expect(await disk.sizeOf(file)).toBe(5)
  crm.archive(deal)
  await compare()
  expect(await disk.sizeOf(file)).toBeNull()
})

test.each([
  [{ status: 403 }, 'HubSpot responded with 403 to the URL of the file.'],
  [{ status: 200, body: 'Signed by' }, 'Of 14 bytes 9 arrived.'],
  [{ status: 200, body: 'Signed by both of them' }, 'More than the announced 14 bytes arrived.'],
])(
  'a copy that fails with %j is reported and retried; the previous content stays',
  async (fault, problem) => {
    const { file, content, read, state } = await follow('copy')
    crm.putFile('agreement.pdf', 'Signed by both', file, Date.now() + 1000)
    crm.fault = (path) => (path.startsWith('/signed') ? fault : undefined)
    expect(await read()).toMatchObject({ problem: null })
    expect((await state()).problems).toMatchObject([{ fileId: file, problem }])
    expect(await content(file)).toBe('Signed by Ana')
    crm.fault = () => undefined
    await read()
    expect([await content(file), (await state()).failed]).toEqual(['Signed by both', 0])
  },
)

test('a copy whose deal is removed leaves nothing behind', async () => {
  const { deal, disk, read } = await follow('copy')
  const other = crm.putFile('plan.pdf', 'A plan')
  crm.change(deal, { agreement: other }, Date.now() + 1000)
  const { put } = disk
  disk.put = async (key, content) => {
    const stored = await put(key, content)
    if (key === other) await deleteDeal(database.db, BigInt(deal))
    return stored
  }
  await read()
  expect(await disk.sizeOf(other)).toBeNull()
  expect(await findSignedFile(database.db, other)).toBeUndefined()
})

test("files are served from HubSpot's own URLs until copying is turned on", async () => {
  const { id, context, file, filesNow, disk, read, content } = await follow('link')
  expect(await filesNow()).toMatchObject([{ id: file, name: 'agreement.pdf', sizeBytes: 13, storage: 'crm' }])
  expect(await disk.sizeOf(file)).toBeNull()
  const storage = crmStorage({ ...context, countCall: () => ({ isOver: false, resetMs: 0 }) })
  const signed = (await storage.access!(file))!
  expect(signed.expiresAt.getTime() - Date.now()).toBeGreaterThan(3_500_000)
  expect(await (await fetch(signed.url)).text()).toBe('Signed by Ana')
  expect(await text(await storage.open(file))).toBe('Signed by Ana')

  await actions.setFiles(context, { id, files: { properties: ['agreement'], notes: false, mode: 'copy' } })
  await read()
  expect([await content(file), (await filesNow())[0]!.storage]).toEqual(['Signed by Ana', 'disk'])
  await actions.setFiles(context, { id, files: null })
  await read()
  expect([await filesNow(), await disk.sizeOf(file)]).toEqual([[], null])
})

test('disconnecting a source keeps copies, and removes files that only the source could serve', async () => {
  const linked = await follow('link')
  await actions.disconnectSource(linked.context, linked.id)
  expect(await linked.filesNow()).toEqual([])
  const copied = await follow('copy')
  await actions.disconnectSource(copied.context, copied.id)
  expect(await copied.filesNow()).toHaveLength(1)
})

test('a file of a deal belongs to its partner, moves with the deal, and overwrites no other file', async () => {
  const { file, deal, read, assign, stored, state } = await follow('copy')
  const partner = await makePartner()
  crm.change(deal, { partner: 'A' }, Date.now() + 1)
  await later()
  await read()
  await assign('A', partner)
  await read()
  expect(await stored(deal)).toMatchObject({ partnerId: partner.id })
  const sql = database.db.$client
  const second = crm.putFile('other.pdf', 'Other')
  await sql`insert into files (id, deal_id, name, type, size_bytes) values (${second}, ${deal}, 'mine.pdf', 'application/pdf', 1)`
  crm.change(deal, { agreement: `${file};${second}` }, Date.now() + 1)
  await later()
  await read()
  expect((await state()).problems).toMatchObject([
    { fileId: second, problem: 'A file with this id exists already.' },
  ])
  expect(await sql`select name from files where id = ${second}`).toMatchObject([{ name: 'mine.pdf' }])
})

test("attachments of a deal's notes are kept in sync when added, changed, removed, or their notes are deleted", async () => {
  const { id, context, deal, disk, filesNow, content, read } = await follow('copy')

  const names = async () => (await filesNow()).map(({ name }) => name).toSorted()
  const [roof, plan] = [crm.putFile('roof.jpg', 'A roof'), crm.putFile('plan.pdf', 'A plan')]
  const note = crm.putNote([deal], [roof])
  await read()
  expect(await names()).toEqual(['agreement.pdf'])
  await actions.setFiles(context, { id, files: { properties: ['agreement'], notes: true, mode: 'copy' } })
  await read()
  expect(await names()).toEqual(['agreement.pdf', 'roof.jpg'])

  // Creates more notes than HubSpot returns in one response, including one without attachments.
  const others = ['a.txt', 'b.txt'].map((name) => crm.putNote([deal], [crm.putFile(name, name)]))
  crm.putNote([deal], [])
  crm.putNote([deal], [roof, plan], note)
  await later()
  await read()
  expect(await names()).toEqual(['a.txt', 'agreement.pdf', 'b.txt', 'plan.pdf', 'roof.jpg'])
  crm.putFile('roof.jpg', 'A new roof', roof, Date.now() + 1000)
  await read()
  expect(await content(roof)).toBe('A new roof')
  crm.putNote([deal], [plan], note)
  for (const other of others) crm.removeNote(other)
  await later()
  await read()
  expect([await names(), await disk.sizeOf(roof)]).toEqual([['agreement.pdf', 'plan.pdf'], null])

  await actions.setFiles(context, { id, files: { properties: [], notes: true, mode: 'copy' } })
  await read()
  expect(await names()).toEqual(['plan.pdf'])
})

test('notes are read per page of deals, and the setting is rejected if the scope is missing', async () => {
  const { id, context } = await connect()
  const deals = Array.from({ length: 110 }, (_, index) => crm.create({ dealname: `Deal ${index}` }))
  for (const deal of deals) crm.putNote([deal], [crm.putFile('a.txt', deal)])
  const notes = { properties: [], notes: true, mode: 'link' as const }
  crm.fault = (path) => (path.startsWith('/crm/v4') ? { status: 403 } : undefined)
  await expect(actions.setFiles(context, { id, files: notes })).rejects.toThrow('refuses access')
  crm.fault = () => undefined
  await actions.setFiles(context, { id, files: notes })
  const from = crm.requests.length
  await followSource({ ...context, log: { warn() {} } }, id, new AbortController().signal)
  const requested = crm.requests.slice(from)
  expect(requested.filter((path) => path.startsWith('/crm/v4'))).toHaveLength(1)
  expect(requested.filter((path) => path === '/crm/v3/objects/notes/batch/read')).toHaveLength(2)
  expect(await readFileState(database.db, id, 1)).toMatchObject({ here: 110, failed: 0 })
})

test('keeps reading deals after losing the notes scope, and reports it', async () => {
  const { id, read, context } = await connect()
  const deal = crm.create({ dealname: 'Before' })
  crm.putNote([deal], [crm.putFile('a.txt', 'content')])
  await actions.setFiles(context, { id, files: { properties: [], notes: true, mode: 'link' } })
  await read()
  crm.fault = (path) => (path.startsWith('/crm/v4') ? { status: 403 } : undefined)
  crm.change(deal, { dealname: 'After' })
  expect((await read()).problem).toMatch(/^Deals are read, but not the attachments .* HubSpot refuses access/)
  const [row] = await database.db
    .$client`select json::json ->> 'dealname' as name from deals where id = ${deal}`
  expect(row).toEqual({ name: 'After' })
  expect(await readFileState(database.db, id, 1)).toMatchObject({ here: 1 })
  crm.fault = () => undefined
  expect((await read()).problem).toBeNull()
})

test('a copied file is scanned; a rejected file is reported and not copied again until it changes', async () => {
  const { file, content, read, state, requests } = await follow('copy')
  // Rejects files that contain this word.
  const scanCommand = 'if grep -q virus; then exit 1; fi'
  crm.putFile('agreement.pdf', 'a virus', file, Date.now() + 1000)
  await read({ scanCommand })
  expect((await state()).problems).toMatchObject([{ problem: 'The virus scanner refused the file.' }])
  expect(await content(file)).toBe('Signed by Ana')
  const before = requests()
  await read({ scanCommand })
  expect(requests() - before).toBe(1)
  expect((await state()).failed).toBe(1)
  crm.putFile('agreement.pdf', 'Signed again', file, Date.now() + 2000)
  const warned: object[] = []
  await read({ scanCommand: 'exit 2', log: { warn: (fields) => void warned.push(fields) } })
  expect(warned).toMatchObject([{ problem: 'exit code 2' }])
  expect((await state()).problems).toMatchObject([{ problem: expect.stringContaining('does not work') }])
  expect(await content(file)).toBe('Signed by Ana')
  await read({ scanCommand })
  expect([await content(file), (await state()).failed]).toEqual(['Signed again', 0])
})

import { describe, expect, test } from 'vitest'
import type { DealChange } from '../deals/change.ts'
import { ellipsize } from '../values/short-text.ts'
import { cleanFileName, rejectedNameOf, sampleOf, subjectOf } from './import.ts'

describe('a file name', () => {
  test.each([
    ['deals.csv', 'deals.csv'],
    [' a\nb\r\n\0c.csv\u0007 ', 'a b c.csv'],
    ['deals\u202Evsc.exe', 'deals vsc.exe'],
    ['<img src=x onerror=alert(1)>.csv', '<img src=x onerror=alert(1)>.csv'],
    ['\ud800', '\ufffd'],
    ['\n', 'unnamed'],
  ])('displays %j as %j', (name, shown) => expect(cleanFileName(name)).toBe(shown))

  test('keeps its beginning and end if it is long', () => {
    const shown = cleanFileName(`${'a'.repeat(500)}.ndjson`)
    expect(shown).toHaveLength(200)
    expect(shown).toMatch(/^a+…+a+\.ndjson$/)
  })

  test.each([
    ['deals.csv', 'deals - rejected rows.csv'],
    ['a.b.ndjson', 'a.b - rejected rows.csv'],
    ['deals', 'deals - rejected rows.csv'],
  ])('for the file %s, the rejected rows are named %s', (name, rejected) => {
    expect(rejectedNameOf(name)).toBe(rejected)
  })
})

describe('a change in the preview', () => {
  const changeOf = (more: Partial<DealChange>) =>
    ({
      id: 2n ** 62n,
      stored: { partnerId: 1, json: '{}' },
      partnerId: 1,
      json: '{}',
      deal: { id: 1n, dealname: 'Lopez' },
      changes: [],
      ...more,
    }) as unknown as DealChange
  const slugOf = (id: number) => `p${id}`

  test('describes a new deal, changed fields, or a new partner', () => {
    expect(sampleOf(3, changeOf({ stored: undefined }), slugOf)).toEqual({
      line: 3,
      id: '4611686018427387904',
      name: 'Lopez',
      isNew: true,
      partner: null,
      fields: [],
      fieldCount: 0,
    })
    expect(
      sampleOf(3, changeOf({ changes: [{ field: 'stage', from: 'null', to: '"NTP"' }] }), slugOf),
    ).toMatchObject({
      isNew: false,
      partner: null,
      fields: [{ field: 'stage', from: 'null', to: '"NTP"' }],
      fieldCount: 1,
    })
    expect(sampleOf(3, changeOf({ partnerId: null }), slugOf)).toMatchObject({
      isNew: false,
      partner: { from: 'p1', to: null },
    })
  })

  test('stays small and valid JSON for a deal of any size, and keeps all digits', () => {
    const long = 'ä'.repeat(10_000)
    const person = `{"id":9223372036854775807,"firstName":${JSON.stringify(long)}}`
    const shown = sampleOf(
      1,
      changeOf({
        deal: { id: 1n, dealname: long },
        changes: Array.from({ length: 88 }, () => ({
          field: 'owner' as const,
          from: JSON.stringify(long),
          to: person,
        })),
      }),
      slugOf,
    )
    expect(JSON.stringify(shown).length).toBeLessThan(6000)
    expect(shown).toMatchObject({ fieldCount: 88, name: `${'ä'.repeat(199)}…` })
    expect(shown.fields[0]).toEqual({
      field: 'owner',
      from: `"${'ä'.repeat(199)}…"`,
      to: `{"id":9223372036854775807,"firstName":"${'ä'.repeat(199)}…"}`,
    })
  })

  test('is truncated between characters', () => {
    expect(ellipsize('ab😀cd', 4)).toBe('ab…')
    expect(ellipsize('ab😀cd', 5)).toBe('ab😀…')
    expect(ellipsize('abc', 3)).toBe('abc')
  })
})

test('the audit log names an import by its file name and counts', () => {
  expect(subjectOf('deals.csv', { created: 1, updated: 2, unchanged: 3, rejected: 4, unreadable: 0 })).toBe(
    'deals.csv (1 new, 2 changed, 3 unchanged, 4 rejected)',
  )
})

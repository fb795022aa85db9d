import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { printed, refused } from '#e2e/operator.ts'

let system: LocalSystem
beforeAll(async () => {
  system = await openLocalSystem()
})
afterAll(() => system.close())

const operator = (...words: string[]) => system.operator(['partner', ...words])

test('create prints the slug, or all details with --json', async () => {
  expect(await operator('create', 'sunline', '--name', 'Sunline Home Energy')).toEqual(printed('sunline\n'))
  const { code, stdout, stderr } = await operator(
    'create',
    'ridgeline',
    '--name',
    'Ridgeline "Solar"',
    '--json',
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    id: expect.any(Number),
    slug: 'ridgeline',
    name: 'Ridgeline "Solar"',
  })
  const listed = await operator('list', '--json')
  expect(JSON.parse(listed.stdout)).toEqual(
    expect.arrayContaining([expect.objectContaining({ slug: 'ridgeline', name: 'Ridgeline "Solar"' })]),
  )
  expect((await operator('list')).stdout).toMatch(/^\d+\tsunline\tSunline Home Energy$/m)
})

test('create rejects a taken or invalid slug and a missing name', async () => {
  await operator('create', 'taken', '--name', 'A')
  expect(await operator('create', 'taken', '--name', 'B')).toEqual(
    refused('slug: is taken by another partner'),
  )
  expect(await operator('create', 'No Slug', '--name', 'B')).toEqual(
    refused('a slug is 1 to 63 of a-z, 0-9 and inner hyphens'),
  )
  expect(await operator('create', 'unnamed', '--name', ' ')).toEqual(refused('--name must not be empty'))
  expect(await operator('create', 'unnamed')).toEqual({
    code: 1,
    stdout: '',
    stderr: "error: required option '--name <name>' not specified\n",
  })
})

test('rename, suspend and resume take effect immediately', async () => {
  const { slug, token } = await system.makePartner()
  const ask = async () =>
    (await fetch(`${system.url}/api/deals`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await operator('rename', slug, '--name', ' Evergreen ')).toEqual(printed(`${slug}\n`))
  expect(await operator('rename', slug, '--name', ' ')).toEqual(refused('--name must not be empty'))
  expect(await operator('time-zone', slug, 'America/Los_Angeles')).toEqual(
    printed(`${slug} America/Los_Angeles\n`),
  )
  expect(await operator('time-zone', slug, 'default', '--json')).toEqual(
    printed(`{"slug":"${slug}","timeZone":null}\n`),
  )
  expect(await operator('time-zone', slug, 'PST')).toEqual(
    refused('PST is not the name of a time zone, such as America/Los_Angeles or UTC'),
  )
  expect(await operator('file-quota', slug)).toEqual(printed(`${slug} 0 of 10 GB\n`))
  expect(await operator('file-quota', slug, '25')).toEqual(printed(`${slug} 0 of 25 GB\n`))
  expect(await operator('file-quota', slug, 'default', '--json')).toEqual(
    printed(`{"slug":"${slug}","usedBytes":0,"quotaBytes":10000000000,"isDefault":true}\n`),
  )
  for (const wrong of ['-1', '1.5', '1e3', '100001', 'much'])
    expect((await operator('file-quota', '--', slug, wrong)).stderr).toContain('is not a whole number of GB')
  expect(await operator('suspend', slug)).toEqual(printed(`suspended ${slug}\n`))
  expect(await ask()).toBe(401)
  expect((await operator('list')).stdout).toMatch(
    new RegExp(`^\\d+\\t${slug}\\tEvergreen\\tsuspended 20\\S+$`, 'm'),
  )
  expect(await operator('suspend', slug)).toEqual(refused('The partner is already suspended'))
  expect(await operator('resume', slug, '--json')).toEqual(printed(`{"slug":"${slug}","suspended":false}\n`))
  expect(await ask()).toBe(200)
  expect(await operator('suspend', 'nobody')).toEqual(
    refused('there is no partner "nobody"; "partner list" shows all'),
  )
  expect(
    await system.db
      .$client`select action from audit_entries where who = 'operator command' and subject like ${`${slug}%`} order by id`,
  ).toEqual([
    { action: 'partner.renamed' },
    { action: 'partner.time-zone-changed' },
    { action: 'partner.time-zone-changed' },
    { action: 'partner.file-quota-changed' },
    { action: 'partner.file-quota-changed' },
    { action: 'partner.suspended' },
    { action: 'partner.resumed' },
  ])
})

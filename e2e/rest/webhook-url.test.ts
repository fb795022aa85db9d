import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '../local-system.ts'
import { ask, expectError } from './client.ts'
import { test as withDefaults } from './rest-test.ts'

let system: LocalSystem

// As with DATABASE_URL: no http, and of the non-public ranges only these two, which contain a metadata
// address.
beforeAll(async () => {
  system = await openLocalSystem({
    env: {
      WEBHOOK_ALLOW_HTTP: 'off',
      WEBHOOK_ALLOWED_CIDRS: '198.18.0.0/15, 169.254.0.0/16',
    },
  })
})

afterAll(() => system.close())

const kept = 'https://crm.example/kept'

const hostOf = (url: string) => new URL(url).hostname
const reserved = ['0.0.0.0', '192.0.2.1', '224.0.0.1', '255.255.255.255', '169.254.169.254', '168.63.129.16']
const isNotPublic = (url: string) => {
  const host = hostOf(url)
  const isReserved = [...reserved, '100.100.100.200', '[::]', '[::ffff:a9fe:a9fe]'].includes(host)
  const kind = isReserved || /^\[(?:64:|2001:|2002:|fd00:ec2:)/.test(host) ? 'reserved' : 'private'
  return `is a ${kind} address. Use a public one`
}
const nameOf = (reason: string | typeof isNotPublic) =>
  typeof reason === 'string' ? reason : 'is not a public address'

const refused: [reason: string | typeof isNotPublic, urls: string[]][] = [
  [
    'must be an https URL',
    [
      'http://crm.example/',
      'HTTP://crm.example/',
      'ftp://crm.example/',
      'ws://crm.example/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/plain,x',
      'mailto:a@crm.example',
      'crm.example',
      '//crm.example/',
      '/hook',
      'https',
      'https:',
      'https://',
      'https:///crm.example',
      'https:/crm.example',
      'https:crm.example',
      'httpss://crm.example',
      'https:\\\\crm.example',
      'https://?x',
      'x',
      '0',
      'null',
    ],
  ],
  [
    'must not contain spaces or invisible characters',
    [
      ' https://crm.example/',
      'https://crm.example/ ',
      'https://crm.example/a b',
      'https://crm.example/\t',
      'https://crm.ex\nample/',
      '\u0000https://crm.example/',
      'https://crm.example/\u0000',
      'https://crm.example/\u007f',
      'https://crm\u00ad.example/',
      'https://crm\u200b.example/',
      'https://crm.example/\ud800',
      'https://crm.example/\u202e',
      ' ',
      '\ufeffhttps://crm.example/',
    ],
  ],
  [
    'must not contain a user name or password',
    [
      'https://user@crm.example/',
      'https://user:secret@crm.example/',
      'https://@crm.example/',
      'https://:@crm.example/',
      'https://crm.example@127.0.0.1/',
      'https://a@b@crm.example/',
    ],
  ],
  [
    'must not contain a fragment (#)',
    ['https://crm.example/#x', 'https://crm.example/a?b#', 'https://crm.example#'],
  ],
  [
    'must have at most 2048 characters',
    [`https://crm.example/${'x'.repeat(2029)}`, `https://crm.example/?${'x'.repeat(500_000)}`],
  ],
  [
    isNotPublic,
    [
      'https://127.0.0.1/',
      'https://127.0.0.1:8443/x',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://0177.0.0.1/',
      'https://0/',
      'https://0.0.0.0/',
      'https://10.0.0.1/',
      'https://172.16.0.1/',
      'https://192.168.1.1/',
      'https://100.64.0.1/',
      'https://192.0.2.1/',
      'https://224.0.0.1/',
      'https://255.255.255.255/',
      'https://[::1]/',
      'https://[::]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:7f00:1]/',
      'https://[fd00::1]/',
      'https://[fe80::1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://[2001:db8::1]/',
      'https://[2002:7f00:1::]/',
      'https://%31%32%37.0.0.1/',
      'https://１２７.0.0.1/',
      'https://127。0。0。1/',
      'https://169.254.169.254/latest/meta-data/',
      'https://[::ffff:169.254.169.254]/',
      'https://2852039166/',
      'https://168.63.129.16/',
      'https://100.100.100.200/',
      'https://[fd00:ec2::254]/',
    ],
  ],
  [
    'must not be a name under .internal, .local or .localhost',
    [
      'https://localhost/',
      'https://LOCALHOST:8443/',
      'https://localhost./',
      'https://app.localhost/',
      'https://app.localhost./',
      'https://printer.local./',
      'https://metadata.google.internal/',
      'https://x.internal/',
      'https://x.internal./',
      'https://X.INTERNAL/',
      'https://printer.local/',
      'https://a.b.local:8443/x',
    ],
  ],
  [
    'must be a valid URL',
    [
      'https://crm.example:99999/',
      'https://crm.example:x/',
      'https://[::1/',
      'https://a b.example'.replace(' ', '%20'),
      'https://crm<.example/',
      'https://%00/',
      'https://1.2.3.4.5/',
      'https://[::ffff:127.0.0.1%25eth0]/',
    ],
  ],
  ['must have a valid host name', ['https://.crm.example/', 'https://crm..example/', 'https://x.local../']],
]

for (const [reason, urls] of refused) {
  test(`a URL is rejected with "${nameOf(reason)}", and the stored one stays`, async () => {
    const { token } = await system.makePartner()
    expect(
      (await ask(system, 'POST /api/webhook', { token, json: { createURL: kept, updateURL: kept } })).status,
    ).toBe(200)
    for (const url of urls) {
      for (const given of [{ createURL: url }, { updateURL: url }]) {
        const [key] = Object.keys(given)
        expectError(
          await ask(system, 'POST /api/webhook', { token, json: given }),
          400,
          'BAD_REQUEST',
          'The URL cannot be used',
          [`${key}: ${typeof reason === 'string' ? reason : `${hostOf(url)} ${reason(url)}`}`],
        )
      }
    }
    expect((await ask(system, 'GET /api/webhook', { token })).json).toEqual({
      createURL: kept,
      updateURL: kept,
    })
  })
}

test('both of two URLs are checked, and a valid one is not stored next to an invalid one', async () => {
  const { token } = await system.makePartner()
  const set = (createURL: string, updateURL: string) =>
    ask(system, 'POST /api/webhook', { token, json: { createURL, updateURL } })
  expectError(
    await set('https://x.internal', 'http://crm.example'),
    400,
    'BAD_REQUEST',
    'The URL cannot be used',
    [
      'createURL: must not be a name under .internal, .local or .localhost',
      'updateURL: must be an https URL',
    ],
  )
  expectError(await set(kept, 'http://crm.example'), 400, 'BAD_REQUEST', 'The URL cannot be used', [
    'updateURL: must be an https URL',
  ])
  expect((await ask(system, 'GET /api/webhook', { token })).json).toEqual({
    createURL: null,
    updateURL: null,
  })
})

test('a valid URL is stored as given, up to 2,048 characters', async () => {
  const { token } = await system.makePartner()
  // In parallel, because a silent resolver takes seconds for each.
  await Promise.all(
    [
      'https://crm.example',
      'https://crm.example/',
      'HTTPS://CRM.Example/Hook',
      'https://crm.example:8443/a/b?c=d&e=%20',
      `https://crm.example/${'x'.repeat(2028)}`,
      'https://bücher.example/ä',
      'https://xn--bcher-kva.example/',
      'https://crm.example./',
      'https://crm.example/a/../b/./c',
      'https://crm.example/?q=https://user@x',
      'https://crm.example/%00',
      'https://crm.example/@x',
      'https://internal.example/',
      'https://local.example/',
      'https://x.internal.example/',
      'https://notinternal/',
    ].map(async (url) => {
      const { status, text } = await ask(system, 'POST /api/webhook', { token, json: { createURL: url } })
      expect({ url, status, text }).toEqual({
        url,
        status: 200,
        text: JSON.stringify({ createURL: url, updateURL: null }),
      })
    }),
  )
})

test('the operator can allow ranges, but never a metadata address in them', async () => {
  const { token } = await system.makePartner()
  for (const url of ['https://198.18.0.1/', 'https://169.254.1.1/', 'https://[::ffff:198.18.0.1]/']) {
    expect((await ask(system, 'POST /api/webhook', { token, json: { createURL: url } })).status, url).toBe(
      200,
    )
  }
  expect(
    (await ask(system, 'POST /api/webhook', { token, json: { createURL: 'https://169.254.169.254/' } }))
      .status,
  ).toBe(400)
})

withDefaults(
  'with the embedded database http and loopback are allowed, other ranges and metadata addresses are not',
  async ({ system: embedded }) => {
    const { token } = await embedded.makePartner()
    for (const url of [
      'http://localhost:4000/hook',
      'http://localhost.:4000/',
      'http://app.localhost:4000/',
      'http://127.0.0.1:4000/',
      'https://127.9.9.9/',
      'http://[::1]:4000/',
      'http://crm.example/',
    ]) {
      expect((await ask(embedded, 'POST /api/webhook', { token, json: { createURL: url } })).text).toBe(
        JSON.stringify({ createURL: url, updateURL: null }),
      )
    }
    for (const url of [
      'http://10.0.0.1/',
      'http://169.254.169.254/',
      'http://[fd00::1]/',
      'http://0.0.0.0/',
    ]) {
      expectError(
        await ask(embedded, 'POST /api/webhook', { token, json: { createURL: url } }),
        400,
        'BAD_REQUEST',
        'The URL cannot be used',
        [`createURL: ${hostOf(url)} ${isNotPublic(url)}`],
      )
    }
    expectError(
      await ask(embedded, 'POST /api/webhook', { token, json: { createURL: 'ftp://crm.example/' } }),
      400,
      'BAD_REQUEST',
      'The URL cannot be used',
      ['createURL: must be an http or https URL'],
    )
  },
)

import { describe, expect, test } from 'vitest'
import { parseCidrs } from '../net/ip-address.ts'
import type { Resolve } from '../net/resolve.ts'
import { type EndpointRules, urlProblem } from './endpoint.ts'

const strict: EndpointRules = { allowHttp: false, allowed: parseCidrs('') }
const trial: EndpointRules = { allowHttp: true, allowed: parseCidrs('127.0.0.0/8, ::1') }

const names: Record<string, string[]> = {
  'partner.example': ['93.184.215.14', '2606:2800:21f:cb07::1'],
  'partner.example.': ['93.184.215.14'],
  'xn--bcher-kva.example': ['93.184.215.14'],
  'half.example': ['93.184.215.14', '10.0.0.5'],
  'half-ipv6.example': ['fd00::5', '2606:2800:21f:cb07::1'],
  'mapped.example': ['::ffff:10.0.0.5'],
  'metadata.example': ['169.254.169.254'],
  'empty.example': [],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1', '::1'],
  'crm.internal': ['10.0.0.5'],
  'loop.internal': ['127.0.0.1'],
  'loop.local.': ['127.0.0.1'],
  'public.localhost': ['93.184.215.14'],
  'private.localhost': ['10.0.0.5'],
}
const resolve: Resolve = async (hostname) => {
  const addresses = names[hostname]
  if (addresses === undefined) throw new Error(`getaddrinfo ENOTFOUND ${hostname}`)
  return addresses
}
const neverAsked: Resolve = async (hostname) => expect.fail(`resolved ${hostname}`)

const scheme = 'must be an https URL'
const invisible = 'must not contain spaces or invisible characters'
const user = 'must not contain a user name or password'
const fragment = 'must not contain a fragment (#)'
const backslash = 'must not contain a backslash'
const invalid = 'must be a valid URL'
const hostName = 'must have a valid host name'
const literal = /^[\da-f.:[\]]+ is a (?:private|reserved) address\. Use a public one$/
const resolved = 'resolves to an IP address outside the public internet'
const internal = 'must not be a name under .internal, .local or .localhost'

describe('the spelling of a URL', () => {
  test.each([
    ['', scheme],
    ['http://partner.example', scheme],
    ['javascript://partner.example/%0aalert(1)', scheme],
    ['https://', scheme],
    ['https:partner.example', scheme],
    ['https:///partner.example', scheme],
    ['https://\\partner.example', backslash],
    ['https://partner.example\\@10.0.0.1', backslash],
    [' https://partner.example', invisible],
    ['https://partner.example\n', invisible],
    ['ht\ttps://partner.example', invisible],
    ['https://partner.example/\r\nX-Header: 1', invisible],
    ['https://partner.example/\u00a0', invisible],
    ['https://part\u00adner.example', invisible],
    ['\ufeffhttps://partner.example', invisible],
    ['https://partner.example/\ud800', invisible],
    ['https://user@partner.example', user],
    ['https://@partner.example', user],
    ['https://partner.example@10.0.0.1', user],
    ['https://partner.example#', fragment],
    ['https://partner.example#@10.0.0.1', fragment],
    ['https://:443', invalid],
    ['https://partner.example:65536', invalid],
    ['https://partner%40example', invalid],
    ['https://256.1.1.1', invalid],
    ['https://[::1', invalid],
    ['https://.', hostName],
    ['https://partner..example', hostName],
    ['https://printer.local..', hostName],
    ['https://%2e', hostName],
  ])('rejects %j', async (url, why) => {
    expect(await urlProblem(url, strict, neverAsked)).toBe(why)
  })

  test.each([
    'https://partner.example',
    'https://partner.example.',
    'HTTPS://PARTNER.EXAMPLE/Hook',
    'https://partner.example:8443/hooks/deals?key=a%20b&to=x@y.example',
    'https://partner.example/@user',
    'https://partner.example/%23',
    'https://partner.example/ü/😀',
    'https://bücher.example',
    'https://ｐartner。example',
  ])('accepts %s', async (url) => {
    expect(await urlProblem(url, strict, resolve)).toBeNull()
  })

  test('allows up to 2,048 characters', async () => {
    const longest = 'https://partner.example/'.padEnd(2048, 'a')
    expect(await urlProblem(longest, strict, resolve)).toBeNull()
    expect(await urlProblem(`${longest}a`, strict, neverAsked)).toBe('must have at most 2048 characters')
  })

  test('accepts http only if the operator allows it, and nothing else besides https', async () => {
    expect(await urlProblem('http://partner.example', trial, resolve)).toBeNull()
    expect(await urlProblem('https://partner.example', trial, resolve)).toBeNull()
    for (const url of ['ftp://partner.example', 'http:partner.example', 'ws://partner.example', '']) {
      expect(await urlProblem(url, trial, neverAsked), url).toBe('must be an http or https URL')
    }
  })
})

const loopbacks = [
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '0177.0.0.1',
  '①②⑦.0.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
]

describe('a URL with an IP address', () => {
  test.each(loopbacks)('recognizes %s as loopback', async (host) => {
    expect(await urlProblem(`https://${host}`, strict, neverAsked)).toMatch(literal)
    expect(await urlProblem(`https://${host}:8443/hook`, strict, neverAsked)).toMatch(literal)
    expect(await urlProblem(`http://${host}/hook`, trial, neverAsked)).toBeNull()
  })

  test.each([
    '0.0.0.0',
    '10.0.0.1',
    '0xa000001',
    '169.254.169.254',
    '[::]',
    '[fd00::1]',
    '[64:ff9b::8.8.8.8]',
  ])('rejects %s, although loopback is allowed', async (host) => {
    for (const rules of [strict, trial])
      expect(await urlProblem(`https://${host}/`, rules, neverAsked)).toMatch(literal)
  })

  test.each([
    ['192.168.1.5', '192.168.1.5 is a private address. Use a public one'],
    ['0xa000001', '10.0.0.1 is a private address. Use a public one'],
    ['[fd00::1]', '[fd00::1] is a private address. Use a public one'],
    ['localhost.', 'must not be a name under .internal, .local or .localhost'],
    ['224.0.0.1', '224.0.0.1 is a reserved address. Use a public one'],
    ['169.254.169.254', '169.254.169.254 is a reserved address. Use a public one'],
  ])('reports %s with its kind', async (host, problem) => {
    expect(await urlProblem(`https://${host}/`, strict, resolve)).toBe(problem)
  })

  test.each(['1.1.1.1', '16843009', '①.①.①.①', '[2606:4700:4700::1111]', '[::ffff:1.1.1.1]'])(
    'accepts the public address %s',
    async (host) => {
      expect(await urlProblem(`https://${host}/`, strict, neverAsked)).toBeNull()
    },
  )
})

describe('a URL with a hostname', () => {
  test.each(['half.example', 'half-ipv6.example', 'mapped.example', 'metadata.example'])(
    'rejects %s because of one of its IP addresses, without revealing which',
    async (host) => expect(await urlProblem(`https://${host}/hook`, strict, resolve)).toBe(resolved),
  )

  test('is checked against the ranges allowed by the operator', async () => {
    expect(await urlProblem('http://localhost:4000', trial, resolve)).toBeNull()
    expect(
      await urlProblem('https://half.example', { ...strict, allowed: parseCidrs('10.0.0.0/8') }, resolve),
    ).toBeNull()
    expect(
      await urlProblem('https://metadata.example', { ...strict, allowed: parseCidrs('0.0.0.0/0') }, resolve),
    ).toBe(resolved)
  })

  test.each(['nowhere.example', 'empty.example', 'internal.example', 'my-internal', 'xn--a'])(
    'accepts %s, which currently does not resolve',
    async (host) => expect(await urlProblem(`https://${host}`, strict, resolve)).toBeNull(),
  )

  test.each([
    'nowhere.internal',
    'nowhere.local',
    'nowhere.local.',
    'Nowhere.INTERNAL',
    'local',
    'nowhere。local',
  ])('rejects %s, which does not resolve', async (host) => {
    for (const rules of [strict, trial])
      expect(await urlProblem(`https://${host}:8443/`, rules, resolve)).toBe(internal)
  })

  test('under .internal or .local is accepted only for allowed IP addresses, without revealing its existence', async () => {
    expect(await urlProblem('https://loop.internal', trial, resolve)).toBeNull()
    expect(await urlProblem('https://loop.local.', trial, resolve)).toBeNull()
    expect(await urlProblem('https://loop.internal', strict, resolve)).toBe(internal)
    expect(await urlProblem('https://crm.internal', trial, resolve)).toBe(internal)
  })
})

describe('a hostname under .localhost', () => {
  const forms = [
    'localhost',
    'localhost.',
    'app.localhost',
    'app.localhost.',
    'a.b.LocalHost',
    'public.localhost',
  ]

  test.each(forms)('is loopback, whatever it resolves to: %s', async (host) => {
    for (const allowed of ['', '10.0.0.0/8', '0.0.0.0/32'])
      expect(
        await urlProblem(`https://${host}:8443/`, { ...strict, allowed: parseCidrs(allowed) }, resolve),
      ).toBe(internal)
    expect(await urlProblem(`http://${host}:9000/created`, trial, resolve)).toBeNull()
  })

  test('is also checked by the IP address it resolves to', async () => {
    expect(await urlProblem('https://private.localhost', trial, resolve)).toBe(internal)
    expect(
      await urlProblem('https://localhost', { ...strict, allowed: parseCidrs('127.0.0.0/8') }, async () => [
        '127.0.0.1',
      ]),
    ).toBeNull()
  })

  test.each(['localhost.example', 'mylocalhost.example'])('does not include %s', async (host) => {
    expect(await urlProblem(`https://${host}`, strict, resolve)).toBeNull()
  })
})

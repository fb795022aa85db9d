import { describe, expect, test } from 'vitest'
import { parseCidrs, ipAddressProblem } from './ip-address.ts'

const nothing = parseCidrs('')
const everything = parseCidrs('0.0.0.0/0, ::/0')
const outside = 'is outside the public internet'

// The first and last address of each range, and the adjacent addresses if they are public.
const refusedRanges: Array<
  [range: string, first: string, last: string, before: string | null, after: string | null]
> = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255', null, null],
  ['below 2000::/3', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::'],
  [
    'above 2000::/3',
    '4000::',
    'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    null,
  ],
  [
    '2001::/23',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  [
    '2001:db8::/32',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
  ],
  [
    '2002::/16',
    '2002::',
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2003::',
  ],
  [
    '2620:4f:8000::/48',
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8001::',
  ],
  [
    '3fff::/20',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::',
  ],
]

describe('the check of an IP address', () => {
  test.each(refusedRanges)(
    'rejects the whole range %s and none of the addresses next to it',
    (_range, first, last, before, after) => {
      for (const address of [first, last]) expect(ipAddressProblem(address, nothing), address).toBe(outside)
      for (const address of [before, after])
        if (address !== null) expect(ipAddressProblem(address, nothing), address).toBeNull()
    },
  )

  test.each([
    '::1',
    '::127.0.0.1',
    '::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '5f00::1',
    'fc00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '::ffff:0:8.8.8.8',
  ])('rejects %s, which is not global unicast', (address) =>
    expect(ipAddressProblem(address, nothing)).toBe(outside),
  )

  test.each([
    '1.1.1.1',
    '2606:4700:4700::1111',
    '2A00:1450:4001:82F::200E',
    '::ffff:1.1.1.1',
    '::ffff:101:101',
  ])('accepts %s', (address) => expect(ipAddressProblem(address, nothing)).toBeNull())

  test.each([
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:7F00:0001',
    '0:0:0:0:0:ffff:127.0.0.1',
    '0000:0000:0000:0000:0000:ffff:7f00:0001',
    '::ffff:10.1.2.3',
  ])('treats %s as the mapped IPv4 address', (address) => {
    expect(ipAddressProblem(address, nothing)).toBe(outside)
    expect(ipAddressProblem(address, parseCidrs('127.0.0.1, 10.0.0.0/8'))).toBeNull()
  })

  test.each(['fe80::1%eth0', '::1%lo', '2606:4700::1111%1', '::ffff:1.1.1.1%eth0'])(
    'rejects %s because of its zone, even if the address is allowed',
    (address) => {
      expect(ipAddressProblem(address, everything)).toBe('names a network interface')
    },
  )

  test.each([
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '2130706433',
    '1.1.1.1 ',
    '1.1.1.1:80',
    '[::1]',
    '1.1.1.0/24',
    '256.1.1.1',
  ])('rejects "%s", which is not an IP address', (address) =>
    expect(ipAddressProblem(address, everything)).toBe('is not an IP address'),
  )

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'FD00:0EC2:0:0:0:0:0:0254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:168.63.129.16',
    '64:ff9b::169.254.169.254',
    '64:ff9b::a83f:8110',
    '169.254.42.42',
    '169.254.0.23',
    '169.254.10.10',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fd00:100::100:200',
  ])('never allows the metadata address %s', (address) => {
    for (const allowed of [
      nothing,
      everything,
      parseCidrs('169.254.169.254, 168.63.129.16, fd00:ec2::254, 64:ff9b::/96'),
    ]) {
      expect(ipAddressProblem(address, allowed)).toBe('is a metadata address')
    }
  })

  test('allows only the given ranges', () => {
    const allowed = parseCidrs('127.0.0.0/8, 10.20.0.0/16, ::1, fd12:3456::/32')
    for (const address of ['127.0.0.1', '10.20.255.255', '::1', 'fd12:3456:ffff::1'])
      expect(ipAddressProblem(address, allowed), address).toBeNull()
    for (const address of ['10.21.0.0', '192.168.0.1', '::2', 'fd12:3457::1'])
      expect(ipAddressProblem(address, allowed), address).toBe(outside)
  })

  test('allows one family without the other', () => {
    expect(ipAddressProblem('10.0.0.1', parseCidrs('::/0'))).toBe(outside)
    expect(ipAddressProblem('::ffff:10.0.0.1', parseCidrs('::/0'))).toBe(outside)
    expect(ipAddressProblem('fd00::1', parseCidrs('0.0.0.0/0'))).toBe(outside)
  })
})

describe('parsing CIDR ranges', () => {
  test.each(['', '  ', '10.0.0.0/8', ' 10.0.0.0/8 ,::1 ', '0.0.0.0/0,::/0', '1.2.3.4/32,2001::1/128'])(
    'parses "%s"',
    (text) => {
      expect(() => parseCidrs(text)).not.toThrow()
    },
  )

  test.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/ 8',
    '10.0.0.0/0x8',
    '10.0.0/8',
    '/8',
    'example.com',
    'fe80::1%eth0',
    '[::1]',
    '::ffff:10.0.0.0/104',
  ])('reports the invalid part "%s"', (part) =>
    expect(() => parseCidrs(`127.0.0.1, ${part}`)).toThrow(`"${part}" is `),
  )

  test.each(['10.0.0.0/8,', ',', '127.0.0.1,,::1'])('rejects the empty part of "%s"', (text) => {
    expect(() => parseCidrs(text)).toThrow('"" is neither')
  })
})

import { BlockList, isIP, SocketAddress } from 'node:net'
import { markedError } from '../errors.ts'

/** Thrown for a URL that must not be requested or does not resolve. The message is shown to the partner. */
export class UndeliverableError extends markedError('UndeliverableError') {}

/**
 * Ranges of IP addresses, with one list per family. A `BlockList` with both families would match IPv4
 * addresses against IPv6 rules (`::/0` contains 10.0.0.1), so that a range allowed in one family would allow
 * addresses of the other.
 */
export interface IpRanges {
  ipv4: BlockList
  ipv6: BlockList
}

/**
 * Parses a comma-separated list of CIDRs and IP addresses of both families. Ignores bits beyond a prefix.
 * Returns no ranges for an empty string.
 * @throws Error that names the invalid part
 */
export function parseCidrs(text: string): IpRanges {
  const ranges = { ipv4: new BlockList(), ipv6: new BlockList() }
  if (text.trim() === '') return ranges
  for (const part of text.split(',')) addCidr(ranges, part.trim())
  return ranges
}

function addCidr(ranges: IpRanges, part: string): void {
  const [address = '', prefix, ...rest] = part.split('/')
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const bits = prefix === undefined ? longest : readPrefix(prefix)
  if (version === 0 || address.includes('%') || bits > longest || rest.length > 0) {
    throw new Error(`"${part}" is neither an IP address nor a range such as 10.0.0.0/8 or fd00::/8`)
  }
  // A mapped address is treated as IPv4, so a range of mapped addresses would never match.
  if (unmap(address) !== address) throw new Error(`"${part}" is an IPv4-mapped address: write it as IPv4`)
  if (version === 4) ranges.ipv4.addSubnet(address, bits, 'ipv4')
  else ranges.ipv6.addSubnet(address, bits, 'ipv6')
}

const readPrefix = (prefix: string) => (/^(?:0|[1-9]\d{0,2})$/.test(prefix) ? Number(prefix) : Infinity)

const globalUnicast = parseCidrs('2000::/3')

const specialPurpose = parseCidrs(
  [
    '0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24',
    '192.31.196.0/24, 192.52.193.0/24, 192.88.99.0/24, 192.168.0.0/16, 192.175.48.0/24, 198.18.0.0/15',
    '198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4',
    '2001::/23, 2001:db8::/32, 2002::/16, 2620:4f:8000::/48, 3fff::/20',
  ].join(),
)

// Addresses at which cloud providers serve the credentials of a machine: AWS, Google, Azure (whose
// 168.63.129.16 is in public space), Oracle, Alibaba, Scaleway, Tencent and Linode.
const metadataIpv4 = [
  '169.254.169.254',
  '169.254.42.42',
  '169.254.0.23',
  '169.254.10.10',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
]
const metadata = parseCidrs(
  // A solar company behind NAT64 may allow 64:ff9b::/96, through which every IPv4 address is also reachable
  // (RFC 6052), so those forms are listed too.
  [
    ...metadataIpv4,
    ...metadataIpv4.map((ipv4) => `64:ff9b::${ipv4}`),
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fd00:100::100:200',
  ].join(),
)

/**
 * Returns why webhooks may not be sent to an IP address, or null if they may.
 *
 * Rejects addresses in the IANA special-purpose registries (RFC 6890), multicast (RFC 5771), all of IPv6 outside
 * global unicast (2000::/3, RFC 4291), and the metadata addresses of clouds. An IPv4-mapped address (RFC 4291,
 * section 2.5.5.2) is treated as the IPv4 address that it contains.
 * @param address an IP address as text, IPv6 without brackets
 * @param allowed ranges that the operator allows; they never allow a metadata address
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function ipAddressProblem(address: string, allowed: IpRanges): string | null {
  if (isIP(address) === 0) return 'is not an IP address'
  // `BlockList` ignores zones, but an address with a zone is always in the local network of this machine.
  if (address.includes('%')) return 'names a network interface'
  const reached = unmap(address)
  if (contains(metadata, reached)) return 'is a metadata address'
  if (contains(allowed, reached)) return null
  const reachable = isIP(reached) === 4 || contains(globalUnicast, reached)
  return reachable && !contains(specialPurpose, reached) ? null : 'is outside the public internet'
}

function contains(ranges: IpRanges, address: string): boolean {
  return isIP(address) === 4 ? ranges.ipv4.check(address, 'ipv4') : ranges.ipv6.check(address, 'ipv6')
}

function unmap(address: string): string {
  if (isIP(address) === 4) return address
  // `SocketAddress` writes each mapped address as ::ffff:a.b.c.d, regardless of its original form.
  const ipv4 = new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:/, '')
  return isIP(ipv4) === 4 ? ipv4 : address
}

/** Who a mail is from. */
export interface Sender {
  name: string
  address: string
}

/** Reads a sender: an address, alone or as `Sunline Solar <portal@sunline.example>`; null for anything else. */
export function parseSender(text: string): Sender | null {
  const [, name = '', inner = text] = /^([^<>]*)<([^<>]*)>$/.exec(text.trim()) ?? []
  const address = inner.trim()
  // A name of a host in the own network has no dot.
  if (!/^[^\s<>@,;"]+@[^\s<>@,;"]+$/.test(address)) return null
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
}

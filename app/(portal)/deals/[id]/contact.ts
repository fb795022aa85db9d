/** The address that writes to an e-mail address, or null when the text is none. Whatever it contains, it adds no recipient and no header (RFC 6068). */
export function mailHref(text: string): string | null {
  const [, name, host] = /^([^\s@]{1,64})@([^\s@]{1,253})$/.exec(text.trim()) ?? []
  return name === undefined || host === undefined
    ? null
    : `mailto:${encodeURIComponent(name.toWellFormed())}@${encodeURIComponent(host.toWellFormed())}`
}

/** The address that calls a phone number, with its extension if it has one (RFC 3966), or null when the text is none. */
export function phoneHref(text: string): string | null {
  const [, number, extension] =
    /^(\+?[\d\s().\-/]+)(?:(?:x|ext\.?|extension)\s*(\d{1,8}))?$/i.exec(text.trim()) ?? []
  const digits = number?.replaceAll(/\D/g, '') ?? ''
  if (digits.length < 5 || digits.length > 15) return null
  return `tel:${number!.startsWith('+') ? '+' : ''}${digits}${extension === undefined ? '' : `;ext=${extension}`}`
}

/** The address of a page on the web, or null when the text is none: http or https, in full, and no name before the host that could pass for it. */
export function webHref(text: string): string | null {
  if (!/^\s*https?:\/\/[^\s/]/i.test(text)) return null
  const url = URL.parse(text.trim())
  return url === null || url.username !== '' || url.password !== '' ? null : url.href
}

/** Returns an e-mail address as staff are known by: trimmed and in lower case. */
export const staffKey = (email: string) => email.trim().toLowerCase()

/** Returns whether a text is a phone number, perhaps with an extension: of 5 to 15 digits. */
export function isPhone(text: string): boolean {
  const number = /^\+?[\d ().\-/]+/.exec(text)?.[0] ?? ''
  const extension = text.slice(number.length)
  const digits = number.replaceAll(/\D/g, '').length
  return digits >= 5 && digits <= 15 && (extension === '' || /^(?:x|ext\.?) ?\d{1,8}$/i.test(extension))
}

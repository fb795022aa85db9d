import Bowser from 'bowser'

/** Returns what people call the browser that calls itself so, such as `Chrome on Windows`. */
export function describeBrowser(userAgent: string): string {
  // Of an empty text the library throws.
  const { browser, os } = Bowser.parse(userAgent || 'none')
  return [browser.name || 'Unknown browser', ...(os.name === undefined ? [] : [os.name])].join(' on ')
}

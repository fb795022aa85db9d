import Bowser from 'bowser'

/** Returns the name of the browser with this `User-Agent`, such as `Chrome on Windows`. */
export function describeBrowser(userAgent: string): string {
  // The library throws on an empty text.
  const { browser, os } = Bowser.parse(userAgent || 'none')
  return [browser.name || 'Unknown browser', ...(os.name === undefined ? [] : [os.name])].join(' on ')
}

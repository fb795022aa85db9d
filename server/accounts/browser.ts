import Bowser from 'bowser'

/** Returns the browser's name, such as `Chrome on Windows`. */
export function describeBrowser(userAgent: string): string {
  // The library throws if the text is empty.
  const { browser, os } = Bowser.parse(userAgent || 'none')
  return [browser.name || 'Unknown browser', ...(os.name === undefined ? [] : [os.name])].join(' on ')
}

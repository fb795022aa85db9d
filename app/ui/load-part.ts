import { isOffline } from './offline.ts'

/**
 * Loads a part of the page. If that fails offline, the page stays as it is, and the part is loaded once the
 * network is back. A browser that does not repeat the failed request reloads the page then, with its input.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    if (typeof window === 'undefined' || !isOffline()) throw error
  }
  await new Promise((resolve) => {
    window.addEventListener('online', resolve, { once: true })
  })
  try {
    return await load()
  } catch {
    const { saveForms } = await import('#app/saved-forms.ts').catch(() => ({ saveForms: () => {} }))
    saveForms()
    window.location.reload()
    // The page is about to be replaced.
    return new Promise<never>(() => {})
  }
}

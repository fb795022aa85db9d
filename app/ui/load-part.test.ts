import { afterEach, expect, test, vi } from 'vitest'
import { loadPart } from './load-part.ts'

const unloaded = new Error('Failed to load chunk')

/** Simulates a browser window that is online or offline. */
function inBrowser(isOnline: boolean) {
  const window = new EventTarget()
  const reload = vi.fn<() => void>()
  vi.stubGlobal('window', Object.assign(window, { location: { reload } }))
  vi.stubGlobal('navigator', { onLine: isOnline })
  vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener() {} })
  return { reload, comeBack: () => window.dispatchEvent(new Event('online')) }
}

afterEach(() => vi.unstubAllGlobals())

test('a chunk that fails to load offline is loaded when the network is back', async () => {
  const { reload, comeBack } = inBrowser(false)
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(unloaded).mockResolvedValue('part')
  const part = loadPart(load)
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1))
  expect(await Promise.race([part, Promise.resolve('waiting')])).toBe('waiting')
  comeBack()
  expect(await part).toBe('part')
  expect(reload).not.toHaveBeenCalled()
})

test('the page is reloaded if the browser does not repeat the request', async () => {
  const { reload, comeBack } = inBrowser(false)
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(unloaded)
  void loadPart(load)
  await vi.waitFor(async () => {
    comeBack()
    expect(reload).toHaveBeenCalledTimes(1)
  })
})

test('a chunk that fails to load online is an error', async () => {
  inBrowser(true)
  await expect(loadPart(() => Promise.reject(unloaded))).rejects.toThrow(unloaded)
})

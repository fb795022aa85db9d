import { useEffect, useRef, useState } from 'react'

/**
 * Returns the text of a field whose value is kept in the URL. Until the field is left, it is what was typed: on a slow
 * machine the URL is behind, and showing its older value would lose letters. A value that was not here before, or that Back
 * restores, is shown at once.
 */
export function useTyped(value: string, send: (text: string) => void) {
  const [typed, setTyped] = useState<string | null>(null)
  const known = useRef(new Set<string>())
  useEffect(() => {
    if (!known.current.has(value)) setTyped(null)
  }, [value])
  useEffect(() => {
    const release = () => setTyped(null)
    window.addEventListener('popstate', release)
    return () => window.removeEventListener('popstate', release)
  }, [])
  return {
    text: typed ?? value,
    type(text: string) {
      known.current.add(value).add(text)
      setTyped(text)
      send(text)
    },
    onBlur() {
      known.current.clear()
      setTyped(null)
    },
  }
}

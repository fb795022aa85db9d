import { useEffect, useState } from 'react'

/** How long after the last key a field follows its value again. */
const typingMs = 1000

/**
 * Returns the text of a field whose value is kept in the URL. While somebody types, it is what was typed: on a slow
 * machine the URL is behind, and showing its older value would lose letters.
 */
export function useTyped(value: string, send: (text: string) => void) {
  const [typed, setTyped] = useState<string | null>(null)
  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(() => setTyped(null), typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  return {
    text: typed ?? value,
    type(text: string) {
      setTyped(text)
      send(text)
    },
    onBlur: () => setTyped(null),
  }
}

'use client'

import { useId, useSyncExternalStore } from 'react'
import { CopyButton } from '#app/ui/copy.tsx'

/** Code in one language. In its response, … stands for omitted text. */
export interface Code {
  language: string
  text: string
  /** File to save the program as, or the command that runs it. */
  caption?: string | undefined
  answer?: string | undefined
}

/**
 * Shows code with a copy button, and several languages as tabs. The chosen language applies to all guides.
 */
export function GuideCode({ codes }: { codes: readonly [Code, ...Code[]] }) {
  const group = useId()
  const chosen = useSyncExternalStore(subscribe, readLanguage, () => null)
  const current = codes.find(({ language }) => language === chosen) ?? codes[0]
  return (
    <figure className="my-5 overflow-hidden rounded-xl border border-line bg-surface">
      <figcaption className="flex min-h-9 items-center justify-between gap-3 border-b border-line pr-2 pl-4 text-xs text-ink-soft">
        {codes.length === 1 ? (
          (current.caption ?? current.language)
        ) : (
          <fieldset className="flex flex-wrap gap-x-4">
            <legend className="sr-only">Language</legend>
            {codes.map(({ language }) => (
              <label key={language} className={tab}>
                <input
                  type="radio"
                  name={group}
                  className="sr-only"
                  checked={language === current.language}
                  onChange={() => chooseLanguage(language)}
                />
                {language}
              </label>
            ))}
          </fieldset>
        )}
        <span className="ml-auto font-mono max-sm:hidden">{codes.length > 1 && current.caption}</span>
        <CopyButton label="Copy" confirmation="Copied" look="icon" text={() => current.text} />
      </figcaption>
      {codes.map(({ language, text, answer }) => (
        <div key={language} hidden={language !== current.language}>
          <pre className={code}>{text}</pre>
          {answer !== undefined && (
            <>
              <div className="border-t border-line bg-sunken px-4 pt-2 text-xs/5 text-ink-soft">Response</div>
              <pre className={`${code} bg-sunken pt-1`}>{answer}</pre>
            </>
          )}
        </div>
      ))}
    </figure>
  )
}

// Long lines wrap instead of scrolling. Copying still returns the original text.
const code = 'px-4 py-3 font-mono text-[0.8125rem]/5 wrap-anywhere whitespace-pre-wrap'
const tab =
  'flex h-9 cursor-pointer items-center border-y-2 border-transparent hover:text-ink has-checked:border-b-accent has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2'

const storedName = 'guide-language'
const listeners = new Set<() => void>()
/** The language chosen in this tab, in case the browser does not store it. */
let chosenHere: string | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function readLanguage(): string | null {
  if (chosenHere !== undefined) return chosenHere
  try {
    return localStorage.getItem(storedName)
  } catch {
    return null
  }
}

function chooseLanguage(language: string): void {
  chosenHere = language
  try {
    localStorage.setItem(storedName, language)
  } catch {
    // Without storage, the choice is lost on reload.
  }
  for (const listener of listeners) listener()
}

import { Eye } from 'lucide-react'
import { button } from '#app/ui/button-styles.ts'

/** Opens a file in a separate tab, where the browser shows it apart from the portal. */
export function OpenFile({ url, name }: { url: string; name: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={button.plain}>
      <Eye aria-hidden="true" className="size-4" />
      Open<span className="sr-only"> {name} in a new tab</span>
    </a>
  )
}

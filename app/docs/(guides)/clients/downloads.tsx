import { checksumOf } from '#app/clients/downloads.ts'

const files = {
  'partner-deals.mjs': 'JavaScript, Node 20 or newer',
  'partner-deals.ts': 'TypeScript, the same with types; needs @types/node',
  'partner_deals.py': 'Python 3.9 or newer',
}

/** Shows the clients with their checksums. */
export async function Downloads() {
  const rows = await Promise.all(
    Object.entries(files).map(async ([name, about]) => ({ name, about, sum: await checksumOf(name) })),
  )
  return (
    <table>
      <thead>
        <tr>
          <th>file</th>
          <th>for</th>
          <th>SHA-256</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, about, sum }) => (
          <tr key={name}>
            <td>
              <a href={`/clients/${name}`} download>
                {name}
              </a>
            </td>
            <td>{about}</td>
            <td>
              <code>{sum}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

import { allowClosedOutput } from '#server/runtime/process.ts'
import { tryParts } from './parts.ts'
import { trySpeed } from './speed.ts'

// npm run try -- <name>: tries the product with other vendors' real programs, which must be installed
// already.

allowClosedOutput()

const trials: Record<string, { about: string; run: (names: string[]) => Promise<boolean> }> = {
  parts: {
    about:
      'partner-deals-copy with PostgreSQL 15, PgBouncer, MariaDB, the sqlite3 command, stunnel and LibreOffice',
    run: tryParts,
  },
  speed: {
    about: 'partner-deals-copy: time and memory of a load of 100,000 deals into each target',
    run: trySpeed,
  },
}

const [name = '', ...names] = process.argv.slice(2)
const trial = trials[name]
if (trial === undefined) {
  const lines = Object.entries(trials).map(([name, { about }]) => `  ${name}  ${about}`)
  process.stderr.write(`npm run try -- <name>\n\n${lines.join('\n')}\n`)
  process.exit(2)
}
process.exit((await trial.run(names)) ? 0 : 1)

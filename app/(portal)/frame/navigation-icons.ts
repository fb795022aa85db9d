import {
  Activity,
  BookOpen,
  Building2,
  CircleDollarSign,
  FileUp,
  House,
  KeyRound,
  ListOrdered,
  RefreshCw,
  ScrollText,
  SearchCheck,
  Send,
  SquareKanban,
  Table2,
  Users,
  Webhook,
} from 'lucide-react'

// Apart from the navigation, because the header of every page shows labels alone.
/** The icons of the navigation. */
export const navigationIcons = {
  Activity,
  BookOpen,
  Building2,
  CircleDollarSign,
  FileUp,
  House,
  KeyRound,
  ListOrdered,
  RefreshCw,
  ScrollText,
  SearchCheck,
  Send,
  SquareKanban,
  Table2,
  Users,
  Webhook,
}

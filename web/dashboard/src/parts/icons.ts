// The icons in use, from Lucide (ISC licence), by what they mean here.
export {
  House as home, Search as search, Brain as memory, FileText as document, MessagesSquare as talk, Waypoints as graph, UsersRound as people,
  CalendarClock as timeline, Folder as container, Inbox as review, Upload as upload, ArrowDownUp as transfer, Trash2 as trash, Activity as activity,
  ListChecks as jobs, FlaskConical as playground, Plug as setup, Settings as settings, MessageCircleQuestionMark as ask, X as close, Check as check, Copy as copy,
  TriangleAlert as warn, Sun as sun, Moon as moon, Monitor as system, Menu as menu, Keyboard as keyboard, ChevronRight as right, ChevronDown as down, ArrowLeft as back,
  Ellipsis as ellipsis, CircleDot as fact, Heart as preference, Clock as episode, Sparkles as insight, SquareCheckBig as task, Scale as decision, Flag as milestone,
  CalendarDays as event, CornerUpRight as turning, Pencil as edit, RotateCcw as undo, History as history, Link2 as linkIcon, Quote as quote, Archive as archive,
  ArchiveRestore as restore, Plus as plus, Download as download, ExternalLink as external, LogOut as leave, Languages as languages, Globe as web, Image as image, Table as table,
  Code as code, Mail as mail, ShieldAlert as quarantine, Merge as merge, KeyRound as key, Tag as tag, Eye as eye, Maximize as fit, FileQuestionMark as unknown, User as user,
} from 'lucide'

// The package reads a global at import, which the demo and the benchmarks, run without vitest, do not have.
import '../vicinae-global';

import { Icon } from '@vicinae/api';

/**
 * Members of `Icon` that a command may use: those that the package of 0.16.14 types, that the API of the launchers 0.24.0 and 0.26.3
 * has under the same name and value, and that have a picture there. From the repository vicinaehq/vicinae at these two tags:
 * `src/typescript/api/src/api/icon.ts` and the file names in `src/server/icons`. The launcher injects its own `Icon`, so a member that
 * is not here (`Icon.Document`, `Icon.Gear`) is undefined there: nothing is drawn, and no error says so.
 */
export const LAUNCHER_ICON_NAMES: readonly string[] = `
  AddPerson Airplane AirplaneFilled AirplaneLanding AirplaneTakeoff Airpods Alarm AlarmRinging AlignCentre AlignLeft
  AlignRight AmericanFootball Anchor AppWindow AppWindowGrid2x2 AppWindowGrid3x3 AppWindowList AppWindowSidebarLeft
  AppWindowSidebarRight ArrowClockwise ArrowCounterClockwise ArrowDown ArrowDownCircle ArrowDownCircleFilled ArrowLeft
  ArrowLeftCircle ArrowLeftCircleFilled ArrowNe ArrowRight ArrowRightCircle ArrowRightCircleFilled ArrowUp
  ArrowUpCircle ArrowUpCircleFilled ArrowsContract ArrowsExpand AtSymbol BandAid BankNote BarChart BarCode BathTub
  Battery BatteryCharging BatteryDisabled Bell BellDisabled Bike Binoculars Bird BlankDocument Bluetooth Boat Bold Bolt
  BoltDisabled Book Bookmark Box Brush Bug Building BulletPoints BullsEye Buoy Calculator Calendar Camera Car Cart Cd
  Center Check CheckCircle CheckRosette ChessPiece ChevronDown ChevronDownSmall ChevronLeft ChevronLeftSmall
  ChevronRight ChevronRightSmall ChevronUp ChevronUpSmall Circle CircleEllipsis CircleFilled CircleProgress
  CircleProgress100 CircleProgress25 CircleProgress50 CircleProgress75 ClearFormatting Clock Cloud CloudLightning
  CloudRain CloudSnow CloudSun Code CodeBlock Cog Coin Coins CommandSymbol Compass ComputerChip Contrast CopyClipboard
  CreditCard CricketBall Crop Crown Crypto DeleteDocument Desktop Dna Dot Download EditShape Eject Ellipsis Emoji
  Envelope Eraser Exclamationmark Exclamationmark2 Exclamationmark3 Eye EyeDisabled EyeDropper Female FilmStrip Filter
  Finder Fingerprint Flag Folder Footprints Forward ForwardFilled FountainTip FullSignal GameController Gauge Geopin
  Germ Gift Glasses Goal Hammer HardDrive Hashtag Headphones Heart HeartDisabled Heartbeat Highlight Hourglass House
  Image Italics Key Keyboard Layers Leaderboard Leaf LightBulb LightBulbOff LineChart Link Lock LockDisabled
  LockUnlocked Logout Lorry Lowercase MagnifyingGlass Male Map Mask Maximize MedicalSupport Megaphone MemoryStick
  Microphone MicrophoneDisabled Minimize Minus MinusCircle MinusCircleFilled Mobile Monitor Moon Mountain Mouse
  Multiply Music Network NewDocument NewFolder Paperclip Paragraph Patch Pause PauseFilled Pencil Person PersonCircle
  PersonLines Phone PhoneRinging PieChart Pill Pin PinDisabled Play PlayFilled Plug Plus PlusCircle PlusCircleFilled
  PlusMinusDivideMultiply PlusSquare PlusTopRightSquare Power Print QuestionMarkCircle QuotationMarks QuoteBlock Racket
  Raindrop Receipt Redo RemovePerson Repeat Reply Rewind RewindFilled Rocket Rosette RotateAntiClockwise
  RotateClockwise Ruler SaveDocument ShortParagraph Shuffle Signal1 Signal2 Signal3 Snippets Snowflake SoccerBall
  SpeakerDown SpeakerHigh SpeakerLow SpeakerOff SpeakerOn SpeakerUp SpeechBubble SpeechBubbleActive
  SpeechBubbleImportant Star StarCircle StarDisabled Stars Stop StopFilled Stopwatch Store StrikeThrough Sun Sunrise
  Swatch Switch Syringe Tag Temperature TennisBall Terminal Text TextCursor TextInput Torch Train Trash Tray Tree
  Trophy TwoPeople Umbrella Underline Undo Upload Uppercase Video Wallet Wand Warning Weights Wifi WifiDisabled
  WrenchScrewdriver WristWatch XMarkCircle XMarkCircleFilled XMarkTopRightSquare Zendesk
`
  .trim()
  .split(/\s+/);

/** The same by their values, as they stand in a frame. */
export const LAUNCHER_ICONS: ReadonlySet<string> = new Set(
  Object.entries(Icon).flatMap(([name, value]) =>
    LAUNCHER_ICON_NAMES.includes(name) ? [value] : [],
  ),
);

/** The code of the Wikipedia for a language tag as the system has it: `de_DE.UTF-8` → `de`; what is no tag → `en`. */
export function wikipediaLanguage(tag: string): string {
  return /^([a-z]{2,3})(?:[-_.@]|$)/i.exec(tag.trim())?.[1]?.toLowerCase() ?? 'en';
}

/** A person's language and country, as search services ask for them. */
export interface Locale {
  /** `de`, `zh`; two letters, or three where there is no two-letter code. */
  language: string;
  /** The country, `DE`: of the tag, or else (also for `es-419`, a continent) the one where most speakers of the language live. */
  region: string;
  /** True for traditional Chinese characters, which the services list as a language of its own. */
  traditional: boolean;
}

/** Reads a language tag as the system or a person writes it (`de`, `de_DE.UTF-8`, `pt-BR`); what is no tag → English, US. */
export function localeOf(tag: string): Locale {
  const plain = (/^[^.@]*/.exec(tag.trim())?.[0] ?? '').replaceAll('_', '-');
  const { language, region = '', script } = likely(plain) ?? new Intl.Locale('en-Latn-US');
  const country = region.length === 2 ? region : (likely(language)?.region ?? 'US');
  return { language, region: country, traditional: language === 'zh' && script === 'Hant' };
}

function likely(tag: string): Intl.Locale | undefined {
  if (!/^[a-z]{2,3}(?:-|$)/i.test(tag)) return undefined;
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return undefined; // the only way to ask whether a tag is well formed
  }
}

/** The values of Brave's `country` (https://api-dashboard.search.brave.com/documentation, "Country codes"). */
const BRAVE_COUNTRIES = new Set(
  'AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US'.split(
    ' ',
  ),
);

/** The values of Brave's `search_lang` that are the plain two letters (same page, "Language codes"). */
const BRAVE_LANGUAGES = new Set(
  'ar eu bn bg ca hr cs da nl en et fi fr gl de gu he hi hu is it kn ko lv lt ms ml mr nb pl pa ro ru sr sk sl es sv ta te th tr uk vi'.split(
    ' ',
  ),
);

/** `country` and `search_lang` for Brave; a language that Brave does not list is left out. */
export function braveLocale(locale: Locale): { country: string; search_lang?: string } {
  const { region } = locale;
  const country = BRAVE_COUNTRIES.has(region) ? region : 'ALL';
  const language = braveLanguage(locale);
  return language === undefined ? { country } : { country, search_lang: language };
}

function braveLanguage({ language, region, traditional }: Locale): string | undefined {
  if (language === 'zh') return traditional ? 'zh-hant' : 'zh-hans';
  if (language === 'pt') return region === 'BR' ? 'pt-br' : 'pt-pt';
  if (language === 'en' && region === 'GB') return 'en-gb';
  if (language === 'ja') return 'jp';
  if (language === 'no' || language === 'nn') return 'nb';
  return BRAVE_LANGUAGES.has(language) ? language : undefined;
}

/** The values of `kl` in the search form of html.duckduckgo.com, country first. */
const DUCKDUCKGO_REGIONS = new Set(
  'ar-es au-en at-de be-fr be-nl br-pt bg-bg ca-en ca-fr ct-ca cl-es cn-zh co-es hr-hr cz-cs dk-da ee-et fi-fi fr-fr de-de gr-el hk-tzh hu-hu is-is in-en id-en ie-en il-en it-it jp-jp kr-kr lv-lv lt-lt my-en mx-es nl-nl nz-en no-no pk-en pe-es ph-en pl-pl pt-pt ro-ro ru-ru xa-ar sg-en sk-sk sl-sl za-en es-ca es-es se-sv ch-de ch-fr tw-tzh th-en tr-tr us-en us-es ua-uk uk-en vn-en'.split(
    ' ',
  ),
);

/** Countries and languages that DuckDuckGo writes in its own way. */
const DUCKDUCKGO_COUNTRIES: Record<string, string> = { gb: 'uk', sa: 'xa', si: 'sl' };
const DUCKDUCKGO_LANGUAGES: Record<string, string> = { ja: 'jp', ko: 'kr', nb: 'no', nn: 'no' };

/** DuckDuckGo's `kl`: the country in the person's language, else in English as it is offered, else all regions. */
export function duckDuckGoRegion({ language, region, traditional }: Locale): string {
  const lower = region.toLowerCase();
  const country = DUCKDUCKGO_COUNTRIES[lower] ?? lower;
  const own = traditional ? 'tzh' : (DUCKDUCKGO_LANGUAGES[language] ?? language);
  const found = [`${country}-${own}`, `${country}-en`].find((each) => DUCKDUCKGO_REGIONS.has(each));
  return found ?? 'wt-wt';
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { braveLocale, duckDuckGoRegion, localeOf } from '../host/web/search/language';

describe('languages and countries', () => {
  it.each<[string, string, string, object]>([
    ['de', 'DE', 'de-de', { country: 'DE', search_lang: 'de' }],
    ['de_AT.UTF-8', 'AT', 'at-de', { country: 'AT', search_lang: 'de' }],
    ['en', 'US', 'us-en', { country: 'US', search_lang: 'en' }],
    ['en-GB', 'GB', 'uk-en', { country: 'GB', search_lang: 'en-gb' }],
    ['pt-BR', 'BR', 'br-pt', { country: 'BR', search_lang: 'pt-br' }],
    ['pt-PT', 'PT', 'pt-pt', { country: 'PT', search_lang: 'pt-pt' }],
    ['ja', 'JP', 'jp-jp', { country: 'JP', search_lang: 'jp' }],
    ['ko-KR', 'KR', 'kr-kr', { country: 'KR', search_lang: 'ko' }],
    ['zh-CN', 'CN', 'cn-zh', { country: 'CN', search_lang: 'zh-hans' }],
    ['zh_TW', 'TW', 'tw-tzh', { country: 'TW', search_lang: 'zh-hant' }],
    ['zh-HK', 'HK', 'hk-tzh', { country: 'HK', search_lang: 'zh-hant' }],
    ['nb-NO', 'NO', 'no-no', { country: 'NO', search_lang: 'nb' }],
    ['nn-NO', 'NO', 'no-no', { country: 'NO', search_lang: 'nb' }],
    ['fa-IR', 'IR', 'wt-wt', { country: 'ALL' }],
    ['th-TH', 'TH', 'th-en', { country: 'ALL', search_lang: 'th' }],
    ['ar-SA', 'SA', 'xa-ar', { country: 'SA', search_lang: 'ar' }],
    ['es-419', 'ES', 'es-es', { country: 'ES', search_lang: 'es' }],
    ['sl', 'SI', 'sl-sl', { country: 'ALL', search_lang: 'sl' }],
    ['C', 'US', 'us-en', { country: 'US', search_lang: 'en' }],
    ['POSIX', 'US', 'us-en', { country: 'US', search_lang: 'en' }],
    ['', 'US', 'us-en', { country: 'US', search_lang: 'en' }],
    ['de-!', 'US', 'us-en', { country: 'US', search_lang: 'en' }],
  ])('%s', (tag, region, duckDuckGo, brave) => {
    const locale = localeOf(tag);
    expect(locale.region).toBe(region);
    expect(duckDuckGoRegion(locale)).toBe(duckDuckGo);
    expect(braveLocale(locale)).toEqual(brave);
  });

  it('any text is some language', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (tag) => {
        const { language, region } = localeOf(tag);
        expect(language).toMatch(/^[a-z]{2,3}$/);
        expect(region).toMatch(/^[A-Z]{2}$/);
      }),
    );
  });
});

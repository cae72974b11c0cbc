import { describe, expect, it } from 'vitest';

import { findWall, type ArrivedPage } from '../host/web/walls';

const URL_A = 'https://site.example/article';
const page = (given: Partial<ArrivedPage>): ArrivedPage => ({
  asked: URL_A,
  url: URL_A,
  title: '',
  text: 'Some words.',
  html: '',
  scripts: 1,
  ...given,
});

/** Words of an honest page, long enough to be one. */
const ARTICLE =
  'The harvest began in April, a week later than last year, and ended in October. '.repeat(10);

describe('robot checks', () => {
  it.each<[string, Partial<ArrivedPage>]>([
    [
      'Cloudflare',
      { title: 'Just a moment...', text: 'Enable JavaScript and cookies to continue' },
    ],
    [
      'Cloudflare by its script',
      { title: 'site.example', html: '<script>window._cf_chl_opt={}</script>' },
    ],
    [
      'Cloudflare block',
      { title: 'Attention Required! | Cloudflare', text: 'Sorry, you have been blocked.' },
    ],
    [
      'DataDome',
      { title: 'site.example', html: '<script src="https://ct.captcha-delivery.com/c.js">' },
    ],
    ['PerimeterX', { title: 'Access to this page has been denied', html: '<div id="px-captcha">' }],
    [
      'Imperva',
      {
        title: '',
        text: 'Request unsuccessful. Incapsula incident ID: 1',
        html: 'Incapsula incident ID',
      },
    ],
    [
      'Akamai',
      {
        title: 'Access Denied',
        text: "You don't have permission to access this page on this server.",
      },
    ],
    ['AWS', { title: '', text: '', html: 'AwsWafIntegration.saveReferrer()' }],
    ['Anubis', { title: "Making sure you're not a bot!", text: 'Loading...' }],
    ['Vercel', { title: 'Vercel Security Checkpoint', text: 'We are verifying your browser' }],
    [
      'Google',
      {
        title: 'https://search.example',
        text: 'Our systems have detected unusual traffic from your network.',
      },
    ],
    [
      'a box to tick',
      {
        text: `${'Before we go on. '.repeat(18)}Confirm that you are a human.`,
        html: '<div class="h-captcha">',
      },
    ],
    ['press and hold', { text: 'Press & Hold to confirm you are a human (and not a bot).' }],
    ['German', { text: 'Bitte bestätigen Sie, dass Sie kein Roboter sind.' }],
    ['French', { text: 'Vérifiez que vous êtes bien humain.' }],
    ['Spanish', { text: 'Verifica que no eres un robot.' }],
    ['Italian', { text: 'Verifica di essere umano' }],
    ['Portuguese', { text: 'Confirme que você não é um robô' }],
    ['Dutch', { text: 'Bevestig dat u geen robot bent' }],
    ['Polish', { text: 'Potwierdź, że jesteś człowiekiem' }],
    ['Russian', { text: 'Подтвердите, что вы не робот' }],
    ['Turkish', { text: 'Lütfen robot olmadığınızı doğrulayın' }],
    ['Japanese', { text: 'あなたがロボットではないことを確認してください' }],
    ['Chinese', { text: '请完成安全验证后继续访问' }],
    ['Korean', { text: '로봇이 아닙니다' }],
    [
      'a title behind the name of the site',
      { title: 'Verdel Times - Access denied', text: 'Reference #18.2' },
    ],
  ])('%s', (_name, given) => {
    expect(findWall(page(given))).toMatchObject({
      status: 'blocked',
      message: expect.stringContaining('a check that a person') as string,
    });
  });

  it.each<[string, Partial<ArrivedPage>]>([
    [
      'an article about them',
      {
        title: 'Just a moment: how robot checks work',
        text: `“Verify you are human”, it says. ${ARTICLE}`,
      },
    ],
    ['an article with a wall’s title', { title: 'Access denied', text: ARTICLE }],
    [
      'a short answer about one',
      { title: 'Access denied when I open a file', text: 'Run it as the owner of the file.' },
    ],
    [
      'a page of a site that a service guards',
      {
        text: 'Open from nine to five.',
        html: '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><script src="https://js.datadome.example/tags.js">',
      },
    ],
    [
      'a contact form with a box to tick',
      { text: 'Write to us. We answer within a day.', html: '<div class="g-recaptcha">' },
    ],
    [
      'the name of a song',
      { title: 'One More Step Along the World I Go', text: 'A hymn by Sydney Carter.' },
    ],
    ['a robot in a story', { title: 'Robots', text: 'The robot made tea for two.' }],
  ])('not %s', (_name, given) => {
    expect(findWall(page(given))).toBeUndefined();
  });
});

describe('consent pages', () => {
  it.each<[string, Partial<ArrivedPage>]>([
    ['English', { title: 'Before you continue to Search', text: 'We use cookies and data.' }],
    ['German', { title: 'Bevor Sie zur Suche weitergehen', text: 'Wir verwenden Cookies.' }],
    ['French', { title: 'Avant de continuer', text: 'Nous utilisons des cookies.' }],
    [
      'a title of its own',
      { title: 'Ihre Zustimmung | Verdel Zeitung', text: 'Wir brauchen Sie.' },
    ],
    [
      'by its text alone',
      {
        title: 'Verdel Times',
        text: 'Your privacy matters\n\nWe and our 837 partners store cookies on your device. We process personal data such as addresses for advertising. You can accept or reject this, or change your consent later.',
        html: '<button class="x">Accept all</button>',
      },
    ],
  ])('%s', (_name, given) => {
    expect(findWall(page(given))).toMatchObject({
      status: 'blocked',
      message: expect.stringContaining('a consent page') as string,
    });
  });

  it.each<[string, Partial<ArrivedPage>]>([
    [
      'an article about cookies',
      {
        title: 'What cookies are',
        text: `Cookies are files. Cookies tell partners. ${ARTICLE}${ARTICLE}`,
        html: '<button>Accept</button>',
      },
    ],
    [
      'a short page with a banner',
      {
        text: 'The ferry leaves at nine from the old pier, and returns at five in the afternoon, except on Sundays.\nWe use cookies. Accept.',
        html: '<button>Accept</button>',
      },
    ],
    [
      'a recipe',
      { title: 'Butter cookies', text: 'Mix butter and flour. Bake the cookies for ten minutes.' },
    ],
    [
      'a privacy notice without a button',
      {
        title: 'Privacy notice',
        text: 'We store no cookies. We share no personal data with partners.',
      },
    ],
  ])('not %s', (_name, given) => {
    expect(findWall(page(given))).toBeUndefined();
  });
});

describe('login walls', () => {
  const form = '<form><input name=u><input type="password" name=p></form>';
  it.each<[string, Partial<ArrivedPage>]>([
    ['by title and form', { title: 'Sign in · Verdel Hub', html: form }],
    [
      'by address',
      { url: 'https://site.example/login?next=%2Farticle', title: 'Verdel Hub', html: form },
    ],
    [
      'by address and words',
      { url: 'https://site.example/auth/start', text: 'You must be logged in to view this.' },
    ],
    ['in German', { title: 'Anmelden | Verdel', html: form }],
    ['in Japanese', { title: 'ログイン - Verdel', html: form }],
    [
      'by a form among others, in capitals',
      { title: 'Sign in', html: `${'<input name=q>'.repeat(50)}<INPUT NAME=p\nTYPE = 'Password'>` },
    ],
    ['by words and form', { text: 'Please log in to continue.', html: form }],
  ])('%s', (_name, given) => {
    expect(findWall(page(given))).toMatchObject({
      status: 'blocked',
      message: expect.stringContaining('asks to sign in') as string,
    });
  });

  it.each<[string, Partial<ArrivedPage>]>([
    [
      'a page with a form in its corner',
      { title: 'Ferry times', text: 'The ferry leaves at nine.', html: form },
    ],
    ['a help page about it', { title: 'Sign in to your account', text: ARTICLE, html: form }],
    [
      'a title and what is no field for a password',
      {
        title: 'Login',
        text: 'A login is a name and a password.',
        html: '<input data-type=password><input> type=password',
      },
    ],
    ['a title without a form', { title: 'Login', text: 'A login is a name and a password.' }],
  ])('not %s', (_name, given) => {
    expect(findWall(page(given))).toBeUndefined();
  });
});

describe('pages that are not there, sent as a success', () => {
  it.each<[string, string, string]>([
    ['English', 'Page not found | Verdel', 'Sorry, this page does not exist.'],
    ['with a number', '404 - Not Found', 'The page could not be found.'],
    [
      'behind the name of the site',
      'Verdel Times: Page not found',
      'It may have been moved or deleted.',
    ],
    ['German', 'Seite nicht gefunden', 'Diese Seite existiert nicht.'],
    ['French', 'Page introuvable - Verdel', 'Cette page n’existe pas.'],
    ['Spanish', 'Página no encontrada', 'La página no existe.'],
    ['Russian', 'Страница не найдена', 'Такая страница не существует.'],
    ['Japanese', 'ページが見つかりません', 'お探しのページが見つかりませんでした'],
    ['Chinese', '页面不存在', '您访问的页面不存在'],
  ])('%s', (_name, title, text) => {
    expect(findWall(page({ title, text }))).toMatchObject({ status: 'not-found' });
  });

  it.each<[string, string, string]>([
    [
      'an article about them',
      '404 Not Found',
      `The code 404 says that a page does not exist. ${ARTICLE}`,
    ],
    ['a title alone', 'Not found', 'A poem about a ring and the sea.'],
    ['a text alone', 'Ferry times', 'The old timetable does not exist any more.'],
    ['a longer title', 'Page not found errors and how to mend them', 'The page does not exist.'],
  ])('not %s', (_name, title, text) => {
    expect(findWall(page({ title, text }))).toBeUndefined();
  });
});

describe('applications', () => {
  it.each<[string, Partial<ArrivedPage>]>([
    ['nothing but a title', { text: 'Verdel' }],
    ['nothing', { text: '' }],
    ['an empty root', { text: 'Verdel, the island of tea and fog', html: '<div id="root"></div>' }],
    [
      'a root of another name',
      { text: 'Verdel, the island of tea and fog', html: '<div class=x id=__next>' },
    ],
    ['loading', { text: 'Loading, one moment please' }],
    ['a notice', { text: `${'Sorry. '.repeat(20)}You need to enable JavaScript to run this app.` }],
    [
      'a notice for browsers without scripts',
      {
        text: 'Verdel, the island of tea and fog',
        html: '<noscript><p>Please enable JavaScript.</p></noscript>',
      },
    ],
    ['German', { text: 'Bitte aktivieren Sie JavaScript, um die Seite zu sehen.' }],
    ['Japanese', { text: 'JavaScriptを有効にしてください。' }],
    ['Chinese', { text: '请启用JavaScript以继续。' }],
    ['Russian', { text: 'Пожалуйста, включите JavaScript в браузере.' }],
  ])('%s', (_name, given) => {
    expect(findWall(page(given))).toMatchObject({ status: 'needs-browser' });
  });

  it.each<[string, Partial<ArrivedPage>]>([
    [
      'a short page that counts its visits',
      { text: 'Closed on Sundays and Mondays.', html: '<noscript><img src="/count"></noscript>' },
    ],
    [
      'a page of many parts for browsers without scripts, of which the first are looked at',
      {
        text: 'Closed on Sundays and Mondays.',
        html: `${'<noscript><img></noscript>'.repeat(20)}<noscript>Enable JavaScript</noscript>`,
      },
    ],
    ['a short page without scripts', { text: 'ok', scripts: 0 }],
    ['an application that was drawn by its server', { text: ARTICLE, html: '<div id="__next">' }],
    ['an article about it', { text: `If JavaScript is disabled, you see nothing. ${ARTICLE}` }],
  ])('not %s', (_name, given) => {
    expect(findWall(page(given))).toBeUndefined();
  });
});

it('looks at a page of two megabytes without looking twice', () => {
  for (const unit of [
    '<noscript>',
    '<input ',
    '<button ',
    '<div id="',
    'cookie. ',
    'you are ',
    '| ',
  ]) {
    const html = unit.repeat(2_000_000 / unit.length);
    for (const text of ['x'.repeat(590), 'x'.repeat(60)])
      expect(findWall(page({ html, text, title: unit.repeat(100) }))).toBeUndefined();
  }
});

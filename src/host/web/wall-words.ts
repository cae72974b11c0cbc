/**
 * What pages say that stand in place of another one, in the languages most of the web is written in. Taken from such
 * pages as the services show them; each list counts only together with the lengths and second signs in `walls.ts`.
 */

const any = (...words: string[]): string => `(?:${words.join('|')})`;

/** The whole of a title, give or take the name of the site at either end and marks. */
function wholeTitle(...words: string[]): RegExp {
  return new RegExp(
    `^(?:[^|–—·:]{1,60}?(?: - | ?[|–—·:] ))?${any(...words)}[\\s.!?…]*(?:[|–—·:(-].*)?$`,
    'iu',
  );
}

export const WALL_TITLE = {
  check: wholeTitle(
    'just a moment',
    'attention required',
    '(?:error )?access (?:to this page has been )?denied',
    '(?:403|forbidden|403 forbidden)',
    'are you (?:a )?(?:human|robot)',
    'verify(?:ing)? (?:that )?you are (?:a )?human',
    'human verification',
    'one more step',
    'pardon our interruption',
    'please wait',
    'checking your browser',
    'security (?:check|checkpoint|verification)',
    'vercel security checkpoint',
    'robot check',
    'bot verification',
    'captcha(?: required| challenge)?',
    'ddos-guard',
    'you have been blocked',
    'sorry, you have been blocked',
    'request (?:blocked|unsuccessful)',
    'unusual traffic(?: detected)?',
    "making sure you(?:'|’)re not a bot",
    'einen moment,? bitte',
    'nur einen moment',
    'sicherheitsüberprüfung',
    'zugriff verweigert',
    'un instant',
    'un momento',
    'acc[èe]s refus[ée]',
    'acceso denegado',
    'один момент',
    'проверка безопасности',
    'доступ (?:запрещ[её]н|ограничен)',
    '請稍候|请稍候|安全验证|人机验证|访问被拒绝',
    'しばらくお待ちください(?:\\.\\.\\.)?',
    '잠시만 기다려 ?주세요',
  ),
  consent: wholeTitle(
    'before you continue.*',
    'cookie (?:consent|settings|wall|notice|preferences)',
    'we value your privacy',
    'your privacy(?: choices)?',
    '(?:privacy )?consent(?: required)?',
    'bevor sie (?:fortfahren|.* weitergehen|.* fortfahren).*',
    '(?:ihre )?(?:zustimmung|einwilligung)(?: erforderlich)?',
    'datenschutz-?einstellungen',
    'avant (?:de continuer|d’accéder).*',
    'antes de continuar.*',
    'prima di continuare.*',
    'voordat (?:je|u) (?:verdergaat|verder gaat).*',
    'zanim przejdziesz.*',
    'перед тем,? как продолжить.*',
    '続行する前に.*',
    '(?:在)?继续(?:操作|浏览)?之前.*',
  ),
};

/** What only the pages of robot checks hold: their own scripts, forms and frames. Tags that such services put into every page do not count. */
export const CHALLENGE = new RegExp(
  any(
    '_cf_chl_opt',
    'cf-chl-widget',
    'id="challenge-(?:form|running|error-text)"',
    'captcha-delivery\\.com',
    'px-captcha',
    '_pxBlockedUrl',
    '_Incapsula_Resource',
    'Incapsula incident ID',
    'AwsWafIntegration',
    'awswaf-captcha',
    'anubis_challenge',
    '/_sec/cp_challenge',
    'window\\.KPSDK',
    'sucuri_cloudproxy_js',
    'action="/sorry/index',
    'id="captcha-form"',
    'ddos-guard/js-challenge',
  ),
  'i',
);

/** A box to tick or pictures to pick; also stands below honest contact forms. */
export const CAPTCHA =
  /g-recaptcha|h-captcha|cf-turnstile|recaptcha\/(?:api|enterprise)\.js|hcaptcha\.com\/1\/api|arkoselabs|geetest/i;

export const PROVE_HUMAN = new RegExp(
  any(
    "(?:verify|confirm|prove|make sure)(?:ing)?(?: that)? (?:you are|you(?:'|’)re)(?: a| not a)? (?:human|person|robot|bot)",
    'not a robot',
    'are you a (?:robot|human)',
    'checking (?:if the site connection is secure|your browser)',
    'unusual traffic|automated (?:requests|queries|traffic)',
    'press (?:and|&) hold',
    'complete the (?:captcha|security check)',
    'dass sie (?:ein mensch|kein roboter)|ungewöhnlichen datenverkehr|kein roboter',
    "que vous (?:êtes|n(?:'|’)êtes pas)[^.]{0,20} (?:humain|un robot)|trafic (?:inhabituel|exceptionnel)",
    'que (?:eres|usted es|es usted|no eres)[^.]{0,10} (?:humano|un robot)|no soy un robot|tráfico inusual',
    'di (?:essere umano|non essere un robot)|non sono un robot|traffico (?:insolito|anomalo)',
    'que (?:você )?(?:é|não é)[^.]{0,10} (?:humano|um robô)|não sou um robô|tráfego incomum',
    'dat (?:je|u) (?:een mens|geen robot)',
    'że (?:jesteś człowiekiem|nie jesteś robotem)',
    'что вы не робот|я не робот|что вы человек|необычный трафик',
    'robot olmadığınızı|insan olduğunuzu',
    'ロボットではない|人間であることを|通常と異なるトラフィック',
    '不是机器人|不是機器人|是真人|人机验证|异常流量|完成(?:安全)?验证',
    '로봇이 아닙니다|사람인지 확인',
  ),
  'iu',
);

export const ALL_COOKIES = {
  /** A sentence about data and consent. */
  sentence:
    /cookie|consent|privacy|personal (?:data|information)|partners|advertis|accept|reject|datenschutz|einwillig|zustimm|werbung|akzeptier|données|publicité|confidentialité|privacidad|publicidad|datos personales|aceptar|pubblicit|accett|クッキー|プライバシー|同意|隐私|конфиденциальн|персональн/i,
  /** What its button says. */
  accept:
    /(?:>|\bvalue=["'])(?:[^<>"']{0,20}\s)?(?:accept|agree|allow all|akzeptieren|zustimmen|einverstanden|aceptar|accetta|aceitar|принять|同意|接受)/i,
};

export const LOGIN_TITLE = wholeTitle(
  '(?:please )?(?:log ?in|sign ?in|log ?on|sign on)(?: (?:to|or|with) .*)?',
  '(?:login|sign-?in)(?: page| required)?',
  '(?:member|account) (?:login|log in|sign in)',
  'authentication required',
  'anmelden|anmeldung|einloggen',
  'se connecter|connexion|identifiez-vous',
  'iniciar sesión|inicia sesión|acceder',
  'accedi|accesso',
  'entrar|fazer login|iniciar sessão',
  'inloggen|logga in|logg inn|log ind|kirjaudu(?: sisään)?',
  'zaloguj(?: się)?|logowanie',
  'войти|вход|авторизация',
  'giriş(?: yap)?',
  'ログイン|登录|登入|로그인',
);

export const LOGIN_NOTICE = new RegExp(
  any(
    '(?:you (?:must|need to|have to)|please) (?:be )?(?:logged|log|sign|signed) in',
    '(?:log|sign) in (?:or \\S+ \\S+ )?to (?:continue|view|see|read|access|your account)',
    'melden sie sich an|bitte (?:einloggen|anmelden)',
    'connectez-vous|veuillez vous (?:connecter|identifier)',
    'inicia(?:r|e)? sesión para',
    'войдите,? чтобы|необходимо (?:войти|авторизоваться)',
    'ログインしてください|请(?:先)?登录|請先登入|로그인이 필요',
  ),
  'iu',
);

export const LOGIN_PATH =
  /(?:^|\/)(?:log-?in|sign-?in|sso|auth|oauth2?|accounts?\/(?:login|signin)|users?\/(?:login|sign_in)|wp-login\.php|anmelden|connexion)(?:[/.?]|$)/i;

const MISSING_PAGE = any(
  "(?:page|document|article|file) (?:was |could )?(?:not |n’t |n't )(?:be )?found",
  '(?:404|not found|error 404|404 error|404 not found)',
  "(?:this |that |the )?page (?:does not|doesn(?:'|’)t|no longer) exists?",
  'nothing (?:was )?found(?: here)?',
  'seite (?:wurde )?nicht gefunden',
  'page (?:introuvable|non trouvée)',
  'página no encontrada',
  'página não encontrada',
  'pagina non trovata',
  'pagina niet gevonden',
  'nie znaleziono strony|strona nie (?:istnieje|została znaleziona)',
  'страница не найдена',
  'sayfa bulunamadı',
  'ページが見つかりません(?:でした)?',
  '(?:页面不存在|找不到(?:该)?(?:页面|网页)|頁面不存在|找不到頁面)',
  '페이지를 찾을 수 없습니다',
);

/** Both must say so: a page may be about such pages. */
export const NOT_FOUND = {
  title: wholeTitle(`(?:404[\\s:,-]+)?(?:sorry,? )?${MISSING_PAGE}`),
  text: new RegExp(
    any(
      MISSING_PAGE,
      "(?:could|can)(?:not|n(?:'|’)t| not) (?:be found|find)",
      "does not exist|doesn(?:'|’)t exist|no longer (?:exists|available)|been (?:moved|removed|deleted)",
      'existiert nicht|nicht (?:gefunden|vorhanden)',
      "n(?:'|’)existe (?:pas|plus)|introuvable",
      'no existe|no se (?:ha )?encontr',
      'não existe|non esiste|bestaat niet|nie istnieje',
      'не (?:существует|найден)',
      '見つかりません|不存在|找不到|찾을 수 없',
    ),
    'iu',
  ),
};

export const WANTS_SCRIPT = new RegExp(
  any(
    '(?:enable|activate|turn on|requires?|needs?|allow) (?:your )?javascript',
    'javascript (?:is )?(?:disabled|required|not enabled|must be enabled|has been disabled|to be enabled)',
    'javascript (?:zu )?aktivieren|aktivieren sie (?:bitte )?javascript|javascript (?:ist )?(?:deaktiviert|erforderlich)',
    'activ(?:er|ez) (?:le )?javascript|javascript est (?:désactivé|requis|nécessaire)',
    '(?:habilit|activ)[a-z]+ (?:el )?javascript|javascript (?:está )?(?:desactivado|deshabilitado)|necesit[a-z]+ javascript',
    '(?:abilita(?:re)?|attiva(?:re)?) (?:il )?javascript',
    '(?:ative|habilite|ativar) (?:o )?javascript',
    '(?:włącz|włączyć) (?:obsługę )?javascript',
    'включит[ье] (?:поддержку )?javascript|javascript отключ[её]н',
    'javascript ?を有効|(?:启用|开启|啟用|开启) ?javascript|javascript ?(?:를|을) (?:사용|활성)',
  ),
  'iu',
);

export const LOADING =
  /^[\s…·•.]{0,20}(?:[\p{L}\p{N}]{1,40} ){0,4}(?:loading|please wait|wird geladen|chargement|cargando|caricamento|carregando|загрузка|読み込み中|加载中|載入中|로딩)/iu;

/** The empty element that an application fills. */
export const SHELL =
  /<(?:div|main|section)\s(?:[^<>]{0,200}\s)?id\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|react-root|main-app|app-root|application|app-container|mount|svelte|q-app)["'\s>]|<app-root\b/i;

/** The pages of the small site in `web-site.ts`: our own words about tea on an island that does not exist. */
export interface SitePage {
  path: string;
  title: string;
  /** The content of `<main>`. */
  body: string;
  charset?: 'windows-1252';
}

export const SITE_PAGES: readonly SitePage[] = [
  {
    path: '/history',
    title: 'How tea came to Verdel',
    body: `
<article>
<h1>How tea came to Verdel</h1>
<p>Tea has grown on the island of Verdel since 1781, when the surveyor Ilse Marant planted forty seedlings behind the
harbour chapel. She had carried them from the mainland in a crate of wet moss, and nine of them lived through the first
winter. Every old garden on the island descends from those nine plants.</p>
<h2>The lean decades</h2>
<p>For two generations tea stayed a curiosity. Verdel lived from salt and from wool, and the few pounds of leaf that were
picked each spring were drunk at home. That changed in 1846, when the salt pans silted up and the island council offered
free hillside to anybody who would plant it with tea.</p>
<h2>The Gardeners' League</h2>
<p>The growers founded the Gardeners' League in 1903. It runs the only drying house on the island, sets the first day of the
harbour auction, and keeps the seed garden where the nine first lines are still grown. Today 31 families belong to it,
and together they pick about 48 tonnes of leaf a year. More about the work itself stands in
<a href="/growing">Growing tea on Verdel</a>.</p>
</article>`,
  },
  {
    path: '/growing',
    title: 'Growing tea on Verdel',
    body: `
<article>
<h1>Growing tea on Verdel</h1>
<p>Tea on Verdel grows on terraces between 180 and 640 metres above the sea. The soil is weathered basalt, slightly acid
and free of lime, and sea fog waters the plants on some 140 mornings a year. Because of the fog the leaves grow slowly,
and slow leaves are what makes the tea of the island sweet.</p>
<h2>The three gardens</h2>
<p>Most of the leaf comes from three gardens. They differ mainly in height, and so in how early they can be picked.</p>
<table>
<thead><tr><th>Garden</th><th>Altitude</th><th>Rain and fog per year</th><th>Area</th></tr></thead>
<tbody>
<tr><td>Low Terrace</td><td>180 m</td><td>1,450 mm</td><td>22 ha</td></tr>
<tr><td>Chapel Slope</td><td>390 m</td><td>1,900 mm</td><td>17 ha</td></tr>
<tr><td>Cloud Garden</td><td>640 m</td><td>2,600 mm</td><td>9 ha</td></tr>
</tbody>
</table>
<h2>A year in the terraces</h2>
<ul>
<li>In January the bushes are cut back to the height of a knee.</li>
<li>In March the walls are mended:
<ul><li>dry stone only, no mortar,</li><li>drains cleared down to the rock.</li></ul></li>
<li>From April to September the leaf is picked by hand, two leaves and a bud.</li>
<li>In October sheep graze between the rows and manure them.</li>
</ul>
<p>The growers use no sprays. What keeps the leaf hoppers down is the wind, which hardly ever rests on the western side.
When to pick is told in <a href="/harvest-calendar">The Verdel harvest calendar</a>.</p>
</article>`,
  },
  {
    path: '/harvest-calendar',
    title: 'The Verdel harvest calendar',
    body: `
<article>
<h1>The Verdel harvest calendar</h1>
<p>The harvest on Verdel is called in four flushes. The first flush starts in the Low Terrace in the second week of April;
the Cloud Garden follows 24 days later, since each hundred metres of height delays the buds by about five days.</p>
<table>
<caption>The four flushes</caption>
<tr><th>Flush</th><th>Starts</th><th>Character</th><th>Share of the year</th></tr>
<tr><td>First</td><td>second week of April</td><td>pale, grassy, sweet</td><td>18 %</td></tr>
<tr><td>Second</td><td>early June</td><td>amber, notes of honey</td><td>34 %</td></tr>
<tr><td>Fog flush</td><td>late July</td><td>soft, a little smoky</td><td>29 %</td></tr>
<tr><td>Autumn</td><td>mid September</td><td>dark, round</td><td>19 %</td></tr>
</table>
<p>The second flush fetches the highest price at the harbour auction, on average 61 crowns a pound. The fog flush is the one
the islanders keep for themselves.</p>
</article>`,
  },
  {
    path: '/brewing',
    title: 'Brewing Verdel tea',
    body: `
<article>
<h1>Brewing Verdel tea</h1>
<p>Verdel tea wants cooler water than most black teas. The drying house recommends 85 °C for the first flush and 92 °C for
everything picked later; boiling water makes the first flush bitter within a minute.</p>
<h2>Step by step</h2>
<ol>
<li>Warm the pot and pour the water away.</li>
<li>Take 3 grams of leaf for a cup of 200 ml.</li>
<li>Pour the water on and wait three minutes, four for the autumn leaf.</li>
<li>Pour it off to the last drop: what stays on the leaf turns harsh.</li>
</ol>
<blockquote><p>The second cup is the one to judge by. The first only wakes the leaf.</p></blockquote>
<p>A good leaf gives three cups. Islanders add a pinch of sea salt to the third, a habit from the days of the salt pans, and
serve it with barley biscuits.</p>
</article>`,
  },
  {
    path: '/garden-sensors',
    title: 'Reading the garden sensors',
    body: `
<article>
<h1>Reading the garden sensors</h1>
<p>Each garden of the League has a weather mast that reports once in ten minutes. The masts answer in plain JSON, and
<code>fog_minutes</code> is the value that growers look at first: below 30 minutes a night the young rows are watered by hand.</p>
<pre><code class="language-python">def needs_water(readings):
    """True when last night's fog was too short."""
    fog = [r["fog_minutes"] for r in readings if r["night"]]
    return sum(fog[-1:]) &lt; 30
</code></pre>
<p>The current list of gardens is published as <a href="/data/gardens.json">gardens.json</a>. The masts run on small wind
wheels, so there are no readings on the rare days without wind.</p>
</article>`,
  },
  {
    path: '/sayings',
    title: 'Sayings of the Verdel growers',
    charset: 'windows-1252',
    body: `
<article>
<h1>Sayings of the Verdel growers</h1>
<p>The island speaks a dialect of its own, and the growers’ sayings are full of it. “Brume née, feuille gagnée” – once the
fog is born, the leaf is won – is painted over the door of the drying house.</p>
<p>Another one, “À pas lents, thé doux”, means that tea picked slowly tastes sweet. Visitors buy it on a mug for 8 € at the
harbour… and then hurry to the ferry.</p>
<p>The oldest saying is the shortest: “Vent dort, veille.” When the wind sleeps, stay awake, because without wind the leaf
hoppers come.</p>
</article>`,
  },
];

export const GARDENS = {
  island: 'Verdel',
  gardens: [
    { name: 'Low Terrace', altitude_m: 180, area_ha: 22 },
    { name: 'Chapel Slope', altitude_m: 390, area_ha: 17 },
    { name: 'Cloud Garden', altitude_m: 640, area_ha: 9 },
  ],
};

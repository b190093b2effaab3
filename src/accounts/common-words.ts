/**
 * What passwords that many people have are made of: names, animals, sports, places, brands, what stands on the screen.
 * Lower case, without what `common-passwords.ts` knows how to put in front of them and behind.
 */
export const COMMON_WORDS = `
aardvark aaron abby abcd abigail access account action adam addison adidas admin adminadmin administrador
administrator adminpass adrian adriana agent aggies airborne airforce airplane alabama alan alaska albert alberto
alejandra alejandro alessandra alessandro alex alexander alexandra alexandre alexandria alexis alfred alice alicia
alison allison allstar alpha alpine always alyssa amanda amateur amazing amazon amber amelia america american amigos
amorcito amoremio anaconda anakin anderson andrea andreas andrei andrew android andromeda angel angela angelica
angelina angelo angels animal animals anna annabel annette annie anthony antonio anything apache apollo apple apples
april aquarius archer archie argentina ariana arizona arkansas armani arnold arsenal arthur artist asdf asdfgh ashley
ashton assassin asshole asteroid aston athena atlanta atlantis attitude audrey august aurora austin australia author
automatic autumn avatar avenger avengers awesome azerty babe babies baby babyblue babyboy babydoll babygirl babylon
backspace backup badboy badger badminton bailey balance ballet balloon bamboo banana bananas bandit bangkok banker
banshee barbara barbie barcelona barney baseball baseline basket basketball bastard batman battle battlefield baxter
bayern beach beachbum bear bears beast beatles beatrice beautiful beauty beaver because beckham beethoven believe
belinda bella benfica benjamin bennett bentley berlin berliner bernard bernie berry bertha besiktas bethany beverly
bigben bigdaddy bigdog biker bill billabong billie billy biology birdie birthday biscuit bishop bismarck bismillah
bitch bitches black blackberry blackbird blackcat blackjack blackout blacky blade blahblah blaster blessed blessing
blink blizzard blonde blondie blood bloody blossom blowfish blue blueberry bluebird blueeyes bluemoon bluesky bobafett
bonita bonjour boobies booboo boogie boomer boston bottle boulder bowling boxing boyfriend bradford bradley branden
brandi brandon brandy brasil braves brazil breanna breeze brenda brendan brian brianna bridge bridget bristol britain
british britney brittany broadway broken bronco broncos brooke brooklyn brother brothers brownie browning bruce bruins
bruno brutus bryan bubba bubble bubblegum bubbles buckeye buckeyes budapest buddha buddy budlight buffalo buffy
bugsbunny building bulldog bulldogs bullet bulls bullshit bunny burton business buster butter buttercup butterfinger
butterfly butthead buttons cadillac caesar caitlin california calvin camaro cambridge camera cameron camila camille
campbell canada cancer candle candy candyman cannabis cannon canon capital capricorn captain cardinal cardinals
careless carlos carmen carolina caroline carpenter carrie carter cartman cartoon casandra casino casper cassandra
cassidy cassie castillo castle catalina catarina catdog catfish catherine catwoman cavalier celeste celine celtic
celtics center centos central certified chainsaw challenge challenger chameleon champion champions champs chance
chandler chanel change changeit changeme changes channel chaos charger chargers charlene charles charley charlie
charlotte charming chatgpt cheater cheese cheesecake cheetah chelsea chelseafc chemical chemistry cherokee cherries
cherry cheryl chester chevelle chevrolet chevy cheyenne chicago chicken chickens chiefs children chilling china
chinese chipper chivas chocolate chopin chopper chouchou chris chrissy christ christian christina christine christmas
christopher chuck church ciaociao cinderella cinnamon cisco citizen clarence clarinet clarissa clarkson classic
claudia clave clayton clement cleopatra cleveland clifford clifton clinton close cloud clouds clover cobra cocacola
coconut cody coffee colleen college collins colombia colorado columbia columbus comander comcast comedy comeon comfort
coming commander commando compaq complete computer computers concept concord concrete condor confused connect
connected connection connor consumer contact content contrasena contrasenia contraseña control cookie cookies cool
coolcat cooldude cooler coolgirl coolguy coolio cooper copper corazon corinthians corleone cornwall corolla corona
correcthorse correcthorsebatterystaple corvette cosmos costarica cottage cotton cougar cougars counter counterstrike
country courage courtney coventry cowboy cowboys cowgirl coyote cracker cradle craig crash crazy cream creation
creative creator cricket cricketer criminal crimson cristian cristiano cristina critter cross crossfire crowley cruise
crusader crystal cupcake cupcakes curious current curtis customer cutie cutiepie cyclone cynthia cypress daddy
daddysgirl daemon daewoo dagger daisy dakota dallas dalton damien dance dancer dancing danger dangerous daniel daniela
daniella danielle danny dantheman darius dark darkangel darklord darkness darkside darkstar darling darren darwin
database dauphin dave david davidson dawson daytona deadpool dearest death debian deborah december default
defaultpassword defender deftones delaware delicious delldell delphi delta demo demodemo demon demons denise dennis
denver depeche derrick desert design designer desire desiree desktop destiny destroyer detroit deutsch deutschland
developer devil devildog dexter diablo diamond diamonds diana dickhead diesel digger digital dilbert dillon dimples
dinosaur director dirtbike disaster discover discovery disney disneyland distance diver division docker doctor dodger
dodgers doggie doghouse dogwood dolphin dolphins domain dominic dominique domino donald donkey donna doraemon dorothy
dortmund double doudou doughboy douglas downhill downtown dracula dragon dragonball dragonfly dragons drake dream
dreamer dreams drpepper drummer drummers drums dublin ducati duchess dude dudley duncan dundee dungeon dustin dynamic
dynamite dynamo dynasty eagle eagles earth earthlink eastern eastside easy eclipse economics eddie edinburgh edison
eduardo education edward edwards einstein elaine eleanor electric electro electron element elena elephant elephants
elevator elisabeth elizabeth elliott elvis email emerald emily eminem emmanuel emotional empire employee encore
endless endurance energy engage engine engineer england english enigma enrique enter enterprise entrance entropy eric
erica erotic escalade escape escort espresso esteban estrella eternal eternity ethan eugene europa europe evangelion
everest everlast everton everyday everything evolution example excalibur excellent exchange exodus explore explorer
explosion express external extra extreme eyeball fabian fabulous facebook faceless factory fairlane fairview fairy
faith faithful falcon falcons fallen fallout family famous fantasia fantastic fantasy farmer farscape fashion father
fearless feather february federal federica federico felicia feline felipe felix fender fenerbahce fernanda fernando
ferrari fiction fidelity figaro fighter fighting films filter final finance finger finish fireball firebird
firefighter firefire firefly firefox firehawk fireman firestar firestorm firewall fireworks first fish fisher
fisherman fishing fitness flamengo flames flamingo flash flipper florence florida flower flowers fluffy flying
football footballs forbidden ford foreman forest forever forget forgetit forgiven formula formule forsaken fortress
fortuna fortune forzainter forzamilan fossil foster foundation fourteen foxtrot france francesca francesco franchise
francis francisco frank frankie franklin freak freaky freckles fred freddie freddy frederic frederick free freebird
freedom freefall freeman freepass freestyle freeuser freeway freeze french fresh friday friend friendly friends
friendship frog froggy frontier frosty frozen fruehling fuck fucker fucking fuckme fuckoff fuckthis fuckyou fugitive
fulham function funkytown funny funnyman furious fussball futbol futurama future gabriel gabriela gabriella gabrielle
galatasaray galaxy galileo gallardo gallery gambit gambler gamecube gameover gamer games gandalf gangsta gangster
garcia garden gardener gardenia garfield garnet garrett gateway gateways gators geheim gemini general generals
generation genesis geneva genius geoffrey george georgia georgina gerald gerard german germany geronimo gerrard
getmoney ghetto ghost ghostrider giants gibson gilbert gillian ginger giorgio giovanna giovanni girlfriend girls
giuseppe gizmo gladiator glasgow glitter global gloria glorious goat goblin godfather godisgood godzilla going gold
goldberg golden goldeneye goldfish goldie goldman goldstar goldwing golf golfer golfing goliath goober good goodbye
goodcharlotte goodday goodgirl goodlife goodluck goodman goodness goodtime google gordon gorgeous gorilla gotcha
gotohell grace gracie graduate grafana graham gramma grandma grandpa granite graphics grateful gravity great greatness
greece green greenbay greenday greenland gregory gremlin grendel greyhound griffin grizzly groovy guadalajara
guadalupe guardian guerrero guest guestpass guillermo guinness guitar guitarist guitars gunner gunners gustavo gymnast
gymnastics hacker hahaha halflife hallo hallohallo hallowed halloween hamburg hamburger hamilton hammer hammers
hampton hamster handball handsome handyman hannah hannibal hanson happening happiness happy happyday happyfeet
hardcore hardrock hardware harley harleydavidson harmony harold harper harris harrison harry harrypotter harvard
harvey haslo hastings hatfield hatred hawaii hawaiian hawkeye hawks hayden headache heart heartbreak heartless heather
heaven heavenly heavymetal hector hejhej helena helicopter hell hellboy hellfire hello hellokitty helloworld help
helpdesk helpme hendrix henrietta henry herbert herbst hercules heritage herman hermione hermosa hero heroes hershey
heslo hidden highland highlander highschool highway hihihi hilary hilton history hitman hobbes hobbit hockey hogwarts
holiday holidays holland hollister holly hollywood home homeboy homepage homer homerun homework honda honesty honey
honeybear honeybee honeybun honeybunny honeymoon honolulu honour hooters hopeful hopeless horizon hornet hornets horny
horse horseman horses hospital hotboy hotdog hotgirl hotmail hotrod hotstuff hottie house houston howard hudson
hugoboss hummer hungry hunter hunters hunting hurricane husband huskers huskies hyundai iamgod iamthebest iceberg
icecream icecube iceman idontcare idontknow idunno ignacio iguana ihateyou illinois illuminati illusion ilove ilovegod
ilovehim ilovejesus iloveme ilovemom iloveu iloveyou imagination imagine immortal impact impala imperial important
impossible impreza incredible incubus independent india indian indiana indians indigo indonesia industry infantry
inference inferno infinite infiniti infinity information inside insomnia inspiron install integra intelligent inter
internal international internet intrepid intruder invincible invisible iphone ipswich ireland irene irish ironmaiden
ironman isabel isabella isabelle islam islander israel istanbul italia italian italy ivan jack jackal jackass jackie
jackson jacob jacqueline jaguar jaguars jamaica james jamesbond jamie janice january japan japanese jasmin jasmine
jason jasper javier jayden jayhawks jazz jeannie jefferson jeffrey jellybean jellyfish jenkins jenna jennie jennifer
jenny jeremiah jeremy jericho jerome jersey jesse jessica jessie jester jesus jesuschrist jetaime jewels jigsaw jimbo
jimmy jingle joanna joanne jobsearch johanna john johncena johndeere johnny johnson joker jonathan jordan jordana
joseph josephine joshua journey joyful juanita judith juggalo juggernaut julia julian juliana julie juliet juliette
julius july june jungle junior juniper jupiter just justice justin justina justinbieber justine justme juventus
kamikaze kangaroo kansas karate kareem karen karina karolina katana katarina kate katherine kathleen kathryn katie
katrina kawasaki kayla keeper keepout kelly kelsey kendall kennedy kenneth kennwort kentucky kenwood kenworth kermit
kevin keyboard khalid kicker kiki kill killer killers killjoy kilroy kimberly king kingdom kingfish kingkong kings
kingston kirsten kisses kitchen kitkat kitten kittens kitty kittycat kittykat klapaucius klingon knicks knight knights
knuckles kochanie kokakola kolokolo krishna kristen kristian kristin kristina kristine kryptonite kubernetes kurdistan
labrador lacoste lacrosse ladies lady ladybird ladybug lakers lakeside lakota lalala lambert lamborghini lancelot
lancer landmark laptop larissa lasvegas latina latino laura lauren laurence lavender lawrence lawyer leader leaders
leather lebron leeds legend legends legion leicester lemonade lennon leonard leonardo leopard leslie letmein
letmeinnow letsgo letter leviathan lewis lexus liberty library lifehack lifeline lifestyle lifetime light lighthouse
lightning lights lilian lillian limited lincoln linda lindsay lindsey linkinpark lionheart lionking lions liquid lisa
litellm little littleman littleone liverpool liverpoolfc living lizard lizzie llama loading logan login logitech
lolipop lollipop lollypop london loneliness lonely lonestar lonewolf longbow longhorn longhorns longtime looking
looser lorenzo lorraine losenord loser losers lost louise louisiana love loveable lovebird lovebug lovehate lovehurts
loveit loveless lovelife lovelove lovely loveme lovemom lover loverboy lovergirl lovers loveyou loving lubov lucas
lucia lucifer lucky luckydog luckystar lucy luna lunatic luther machine macintosh mackenzie madalina madeline madison
madman madness madonna madrid maestro magazine magdalena maggie magic magical magician magnetic magnolia magnum mahal
mahalkita maiden mailman majestic makaveli malaysia malcolm malibu mallard mallory mamamia mamapapa management manager
manchester mandarin mandolin mango manhattan maniac manolito mantis manuel manuela manunited marathon marauder marcel
marcello march marcus margaret margarita maria mariah mariana marianne mariano marie marijuana marilyn marina marine
mariner mariners marines mario mariposa marisol marissa mark marketing marlboro marlene marley marlin marriage married
mars marseille marshall marshmallow martha martin martina martinez martini marvel marvin mary maryann maryjane
maryland masamune master masterchief masterkey masters mateus matilda matrix matthew mature maurice maverick maxima
maximilian maximum maximus maxwell mayday mazda mclaren meadow meatball meatloaf mechanic medicine medion medusa
megadeth megaman megan melanie melbourne melissa melody member members memorex memories memory memphis mercedes
mercury meridian merlin mermaid messenger messiah metal metalgear metallic metallica mexican mexico miami michael
michaela michel michele michelle michigan mickey mickeymouse microlab micron microsoft middle midnight midnite midway
mierda miguel mikael mike military millenium millennium miller million millionaire millions millwall milton mindfreak
minecraft minerva minnesota minnie minolta miracle miranda miriam mirror mischief misfit misfits missing mission
mississippi missouri missy mister mistral mistress mitchell mobile mohamed mohammad mohammed moises molly mollydog
momanddad moment monalisa monday money moneymaker moneyman mongoose monica monique monitor monkey monkeyboy monkeys
monopoly monroe monster monsters montana monteray monterey monterrey montgomery montreal moon moonbeam moonlight
moonshine moonstar moose mordor morena moreno morgan morning morpheus morris morrison mortal mortgage moscow
motdepasse mother motherfucker motocross motorbike motorcycle motorhead motorola mountain mountains mouse mousepad
movies mozart mudvayne muenchen muffin muhammad mulder mulligan munchkin murder murphy murray muscle mushroom music
musical musician musicman mustafa mustang mustangs myfamily mylife mylove myname mypass mypassword mypasswordis mypc
myriam myself myspace mysql mystery mystic nancy napoleon napoli napster naruto nascar nastya natalia natalie nataly
natasha nathalie nathan nathaniel national nationals native naughty nautilus navajo navigator nebraska needles nelson
nemesis neptune netscape network nevada nevermind nevermore newcastle newhouse newjersey newlife newman newpass
newpassword newport newproject newton newyork newzealand nicaragua nicholas nichole nicola nicolas nicole nicotine
nigeria night nightfall nighthawk nightmare nights nightwing nightwish nihao nikita nikki nimbus nintendo nirvana
nissan nittany nobody nokia nolimit nomore nonsense noodle noodles nopass nopassword nopasswordneeded norman northern
northside norway norwich nothing nottingham nounours nouveau novell november nuclear nugget number numbers nursing
oakland oakley oblivion obsession obsidian ocean october octopus odyssey office officer ohmygod oklahoma oliver olivia
olivier olympic olympus omega onepiece online onlyme onlyone open openai openit opensesame openup operation operator
optimist optimus option oracle orange oranges orchard orchid oregon organic organize original orioles orion orlando
oscar outlaw outside oxford pacers pacific packard packer packers paintball painter pakistan paladin palermo palmeiras
palmetto palmtree paloma pamela panama pancake pancho panda pandabear pandora pantera panther panthers panties panzer
papamama paradigm paradise paradox paramore paranoid parents paris parker parol parola parrot partner party pascal
pass passat passcode passion passme passphrase passport passw passwd password passwordpassword passwords passwort
patches pathfinder patience patricia patricio patrick patriot patriots patton paula paulchen paulina pauline pavilion
payment peace peaceful peaches peacock peanut peanuts pearl pearljam pebbles pedro peekaboo peewee pegasus pelican
penelope penguin penguins penis pennsylvania penny pentium people pepper pepsi pepsicola perfect perfume perkele
perkins persephone personal peter petunia phantom pharmacy philadelphia philip philippe philippines phillies phillip
phillips phoebe phoenix phone photo photography photos physics piano pianoman picard picasso pickle pickles picture
pictures pierre piglet pikachu pilgrim pimpin pineapple pinetree pingpong pinhead pink pinkfloyd pinkie pinkpink pinky
pioneer piramida pirate pirates pisces pistons pitbull pittsburgh pizza pizzahut pizzas planet plasma plastic platform
platinum platypus play playa playball playboy player players playgirl playground playing playmate playstation please
pleasure plumber plymouth poetry pogiako poison pokemon pokerface polaris police policeman polina politics polska
pontiac poohbear pookie poopoo popcorn popeye popopo popsicle porkchop porn porno pornstar porsche portable porter
portishead portland porto portugal positive possible postgres postgresql postman potato potatoes potter powder power
powerful powers prayer preacher precious predator prelude premier premium presario president presley pressure preston
pretty prettygirl priest primavera prince princes princesa princesita princess princessa princeton principe printer
printing priscilla prisoner private privet problem problems process producer professional professor profit program
programmer progress project prometheus promise property prophecy prospect protect protected protection prototype
providence prudence psycho public pumpkin pumpkins punisher punkrock puppies puppy purple pussy pussycat pyramid
python qazwsx quality quantum quarter quebec queen queenbee queenie question quicksand quicksilver quincy qwaszx qwer
qwert qwerty qwertyuiop rabbit rabbits racecar racerx rachel racing racoon radar radical radio radiohead rafael rage
raider raiders railroad rainbow rainbows raindrop rainman rainyday raistlin rammstein ramona rampage randall random
randy ranger rangers raphael raptor raptors rascal raspberry rasputin raven ravens rayman raymond reading realmadrid
reaper rebecca rebel rebelde rebels reborn record redalert redbaron reddevil reddevils reddog redfox redhead redis
redneck redred redrose redskins redsox redstar redwings redwood reference reggae regina regional register reindeer
relax release religion remember remote renaissance renault renegade report republic rescue research resident
resistance respect restless retired return revenge reverse review revolution reynolds rhiannon ricardo richard
richards richmond ricky right rihanna ripper rising river rivera riverside roadking roadrunner robbie robert roberta
roberto robin robinhood robinson robocop robot rochelle rochester rock rocker rocket rockets rockford rockies
rocknroll rockon rocks rockstar rocky rodney rodrigo rodriguez rogers roland rolling rollingstones rolltide roman
romance romania romantic romeo ronald ronaldinho ronaldo rooney rooster root rootbeer rootpass rootroot rosario rose
rosebud rosemary roses rossignol roxanne royal royals ruby rugby runaway runescape runner running rush russel russell
russia russian rusty ruthless ryan sabbath sabina sabrina sacramento sacred sadie safari safety sagitario sailing
sailor sailormoon saint saints sakura salamander salasana salmon salvador salvation samantha samara sample samson
samsung samuel samurai sanchez sancho sandiego sandman sandra sandrine sandwich sandy sanfran sanfrancisco sanjose
santa santafe santana santiago santorini santos saopaulo sapphire sarah saratoga sasha saskia sasuke satan satellite
saturday saturn savage savannah saviour saxon saxophone scandal scania scarface scarlet scarlett schalke schatz
schatzi schedule schneider school schools schumacher science scirocco scooby scoobydoo scooter scooters scorpio
scorpion scorpions scotland scott scottish scrappy scratch scream screen script scrooge seagull seahawks search
seattle sebastian second secret secreto secrets secure security segredo selena selina seminole seminoles semperfi
senator senha senhasenha senior sentinel september sequoia serena serenity sergeant sergey sergio serpent server
service sesame seven seventeen severance sexual sexy sexybaby sexybeast sexyboy sexygirl sexylady sexymama sexyman
sexyme shadow shadows shakira shalom shaman shamrock shane shannon share sharks sharon shasta shelby sheldon shelly
shelter shenlong sheriff sherlock sherman sherry sherwood shibby shirley shit shithead shooter shopping short shorty
shotgun showtime shuriken sidekick sideways siemens sierra sifre sigma silence silent silicon silver silverado silvia
simba simon simona simone simple simplepass simpleplan simpson simpsons sinatra sinclair singapore singer single
sinner sister sisters sixteen skate skateboard skater skeeter skeleton skidoo skinny skipper skippy skittles skull
skydive skyhawk skylar skyline skywalker slamdunk slappy slapshot slaughter slayer sleeping slimshady slipknot sluggo
smackdown smallville smart smile smiles smiley smirnoff smith smithers smiths smoke smoker smokey smokie smooth
smoothie snake snakes snapper snapple snapshot sneakers snickers sniper snoopdog snoopy snow snowball snowbird
snowboard snowflake snowman snowwhite snuffy snuggles soccer social socrates sofia softball software soldier soleil
solitude solomon solution somebody someday someone something somewhere sommer sonata sonia sonic sonnenschein sophia
sophie soprano soulmate soulmates source south southern southpark southpaw southside spain spanish spanky sparkle
sparky sparrow sparta spartacus spartak spartan spartans spawn special specialist species spectre spectrum speed
speedo speedway speedy spencer spider spiderman spiderpig spiders spirit spitfire splinter sponge spongebob spooky
sport sporting sports spring springer springfield sprinter spunky squirrel squirt srinivas stacey stalker stallion
standard stanford stanley star starbuck starbucks starcraft stardust starfire starfish stargate stargazer starlight
starman stars starship start starter startrek starwars station statistics stayout stealth steelers steelman stefania
stefano stella stephanie stephen sterling steve steven stewart sticker stingray stinker stinky stone stonecold stones
storage storm stormy stranger strangers strategy stratus strawberry stream street streetball strength strider strike
striker string strong stronger student students studio stupid sublime submarine subway success successful suckit sugar
sullivan summer summertime summit sundance sunday sunfire sunflower sunny sunnyday sunrise sunset sunshine super
superboy superfly supergirl superhero superior superman supermario supernova superpass supersonic superstar superuser
supervisor support supra supreme surfer surfing surprise surrender survivor susana susanna susanne sutton suzanne
suzuki sweden sweet sweetheart sweetie sweetiepie sweetness sweetpea sweets sweety swimmer swimming swingers swordfish
sydney sylvester sylvia symphony syracuse sysadmin system systems tacobell tamara tangent tangerine tanner tarantula
target tarheels tarzan tasha tasmania tattoo taurus taylor teacher teamo teamomucho techniques techno technology teddy
teddybear teens telecom telefon telefono telefoon telekom telephone teletubbies television temp temporal temporary
temppass tenant tennessee tennis tequiero tequila teresa terminal terminator terrence terrorist test teste tester
testing testpass testtest testuser tetris texas thailand thankyou theater thebeast thebest theboss thedoors thegame
thegreat theking theman thematrix theodore theone theresa therock thesims thinking thirteen thisisit thisismypassword
thomas thompson thornton thousand thuglife thumper thunder thunderbird thundercats thursday tidepool tiffany tiger
tigercat tigerlily tigers tigger tight timberlake timeless timothy tinker tinkerbell tintin tiramisu titanic titanium
titans titleist tobias today tokyo tomato tomcat tommy tomorrow toor topdog topgun topsecret torino tornado toronto
torpedo torres tortoise toshiba tottenham touchdown toulouse tower toyota tracey tracker tractor trailer trainer
training trance tranquil transam transfer transformer transformers transit transport trapper travel traveler travis
treasure treefrog trenton trevor triangle tribal tricia trident trigger trinidad trinity triple tripod tristan triton
triumph trojan trojans trombone trooper tropical trouble troubles trucker trucks true truelove trumpet trunks trust
trustme trustno trustnoone tsunami tucker tuesday turbo turbos turkey turner turnpike turtle turtles tweety tweetybird
twelve twenty twilight twisted twister twitter tyler ubuntu ultima ultimate ultra ultraman umbrella unbelievable
undead undercover underdog underground undertaker unforgiven unicorn unicorns unique unisex united universal universe
university unknown unlimited unreal update uranus user username utopia vacation vagabond vagrant valencia valentin
valentina valentine valentino valeria valerie valhalla valiant valkyrie valley vampire vampires vancouver vanessa
vanguard vanhalen vanilla vanquish vauxhall vector vegeta velocity velvet venezuela ventura venture venus veracruz
verbatim verena verizon vermont verona veronica veronika versace vertigo vette vicious victor victoria victory video
vienna vietnam viewsonic viking vikings villa village vincent violet violetta violin viper virgin virginia virgo
virtual virus vision visitor vivian vladimir vodafone voldemort volkswagen volley volleyball voltage volvo voodoo
voyager vulcan wachtwoord waffle waffles wakeup walker wallace wallet wallpaper wallstreet walmart walnut walrus
walter wanker warcraft warehouse warhammer warhawk warlock warner warning warren warrior warriors warszawa washington
wasser water waterboy waterfall waterloo watermelon waterpolo watson webber webcam webhosting webmaster webster
wednesday weezer welcome welcomehome welkom wellington wendy werewolf wertyu wesley western westham westlife westside
westwood whatever whatsup wheels whiskey whisky whisper whistler white whiteboy whitesox whitney whocares whoknows
whynot wicked wilbur wildcard wildcat wildcats wildfire wildlife wildman wildone willem william williams willie willow
wilson wimbledon windmill window windows windsor windsurf wingman winner winners winnie winnipeg winston winter
wireless wisconsin wisdom wizard wizards woaini wolf wolfgang wolfman wolfpack wolverine wolverines wolves wombat
wonder wonderful wonderland woodland woodstock woodward woody woofer wookie wordpass working world worldcup worldwide
worship wrangler wrestle wrestler wrestling wutang xavier xbox xfiles xiaoxiao yahoo yamaha yankee yankees yellow
yellowstone yesterday yolanda yosemite young yourmom yourpassword youtube yugioh yvonne zachary zanzibar zaragoza
zeppelin zerocool zidane zombie zombies zxcvb zxcvbn
`;

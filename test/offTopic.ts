/**
 * Tasks that no snippet of the development sets does, one a line: written for this project, half of them about
 * programs.
 */
export const offTopic: ReadonlyArray<string> = `
What will the weather be like in Lisbon tomorrow
Book a flight to Tokyo for two people
Write a birthday poem for my grandmother
Translate this letter into Portuguese
Which restaurants near me are open on Sunday
Deploy the service to a Kubernetes cluster with Helm
Create a Terraform module for an AWS VPC with private subnets
Set up a GitHub Actions workflow that publishes a Docker image
Send a Slack message to the on-call channel
Post a tweet with the release notes
Read the messages of a Kafka topic and commit the offsets
Generate a PDF invoice with a company logo
Render a React component with a dark mode switch
Design a responsive navigation bar with Tailwind
Train a convolutional network on CIFAR-10 with PyTorch
Fine-tune a language model with LoRA adapters
Transcribe an audio recording of a meeting
Remove the background of a product photo
Detect faces in a webcam stream
Charge a customer's credit card with Stripe
Verify a webhook signature from PayPal
Refresh an OAuth token for the Google Calendar API
Create a Jira ticket for each failing test
Summarise the minutes of the board meeting
Draft a reply to an angry customer
Find a hotel in Rome for under 100 euros a night
Explain the causes of the French Revolution
Recommend a good book on gardening
What is the capital of Mongolia
Who won the world cup in 1998
Plan a week of vegetarian meals
Sync the contacts of my phone with Outlook
Turn on the living room lights at sunset
Mount an NFS share at boot with systemd
Renew the TLS certificates with Let's Encrypt
Configure nginx as a reverse proxy with rate limiting
Migrate a Postgres database to a new schema without downtime
Back up a MongoDB cluster to S3
Write a GraphQL resolver for a shopping cart
Add full-text search to a Rails application
Animate a bouncing ball with CSS keyframes
Write a Unity script that lets the player double jump
Compile a Rust crate to WebAssembly
Flash an Arduino over the air
Control a stepper motor from a Raspberry Pi
Print a shipping label on a Zebra printer
Calculate the VAT of an invoice for Switzerland
Estimate the carbon footprint of a flight
Scrape product prices from an online shop
Bypass a paywall of a newspaper
Convert a PowerPoint presentation to Keynote
Merge two branches with a rebase in git
Sign a Windows installer with a code certificate
Localise an Android app for right-to-left languages
Detect plagiarism between two student essays
Predict house prices with gradient boosting
Recognise handwritten addresses on envelopes
Draw the org chart of a company
Stream a video with adaptive bitrate
Play a MIDI file through the speakers
`
  .trim()
  .split("\n")

/**
 * Texts that ask for nothing a program could do, one a line: keys struck at random, words without a task, single common
 * words, signs.
 */
export const nonsense: ReadonlyArray<string> = `
asdf qwer zxcv uiop
xyzzy plugh frobnicate quux
lorem ipsum dolor sit amet consectetur
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
1234567890 0987654321
!!! ??? ... ### $$$
🦄🦄🦄 🎉🎉
the the the of of and
colorless green ideas sleep furiously
twas brillig and the slithy toves
blah blah blah yadda yadda
kjhsdf kjh sdfkjh skdjfh
ok thanks
hello
hi there, how are you?
yes please do that again
never mind
what?
it does not work, please help me
can you do the thing we talked about yesterday
make it better
fix it
do it
please
todo
foo bar baz qux
wubba lubba dub dub
purple monkey dishwasher
when the moon hits your eye like a big pizza pie
supercalifragilisticexpialidocious
to be or not to be
I am the walrus
banana banana banana
Monday coffee rain umbrella
seven elephants dream of marmalade
the quick brown fox jumps over the lazy dog
zażółć gęślą jaźń
これはテストではありません
ничего такого не было
أهلا وسهلا بكم
ϗϡϟ ϞϜϛ ϚϙϘ
qqqq wwww eeee rrrr tttt
hunter2 hunter2 hunter2
dkfj3 fj39f 2j3f9 f2j9
abcdefghijklmnopqrstuvwxyz
null undefined NaN
true false true false
http://example.com/a/b/c
C:\\Users\\me\\Desktop
<html><body></body></html>
SELECT 1
rm -rf /
git push
npm install
??
.
a
x y z
1 + 1
42
`
  .trim()
  .split("\n")
